module berth/tests/kubernetes/integration

go 1.26.0
