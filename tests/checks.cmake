# Checks of the tree, and golden cases.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_test(NAME tree.layers COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_layers.py)
add_test(NAME tree.docs COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_docs.py)
add_test(NAME tree.checks_can_fail COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/checks_test.py)
add_test(NAME bench.kubernetes_figures COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/bench/kubernetes/figures_test.py)

file(GLOB subset CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/conformance/cases/*.jsonl)
add_test(NAME conformance.subset COMMAND berth conformance ${subset})
# A case that was tampered with: proves that the comparison notices.
add_test(NAME conformance.notices_differences
  COMMAND berth conformance ${CMAKE_CURRENT_SOURCE_DIR}/tampered_case.jsonl)
set_tests_properties(conformance.notices_differences PROPERTIES
  PASS_REGULAR_EXPRESSION "feasible differs in 1: tampered#0.*0 passed, 1 failed")

set(BERTH_GOLDEN_CASES ${PROJECT_SOURCE_DIR}/../shared/conformance/cases CACHE PATH
  "Where the full set of golden cases lies")
if(EXISTS ${BERTH_GOLDEN_CASES})
  file(GLOB golden CONFIGURE_DEPENDS ${BERTH_GOLDEN_CASES}/*.jsonl)
  add_test(NAME conformance.all COMMAND berth conformance ${golden})
  set_tests_properties(conformance.all PROPERTIES LABELS slow TIMEOUT 900)
endif()

berth_test(plugin_table_test SOURCES plugin_table_test.cc USES plugins config framework api base)
