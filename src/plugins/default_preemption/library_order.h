// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::plugins {

// Sorts the way upstream's standard library does: an unstable pattern-defeating quicksort without chance. Which of two
// equally important pods is evicted depends on the order that comes out among equals, so the steps must be the same:
// insertion sort up to 12 elements, the pivot rules, the treatment of sorted runs, and heap sort when pivots keep being
// bad.
template <typename T, typename Less>
class LibraryOrder {
 public:
  static void Sort(std::vector<T>& values, Less less) {
    LibraryOrder(values, less)
        .Quick(0, static_cast<Index>(values.size()), static_cast<int>(std::bit_width(values.size())));
  }

 private:
  using Index = std::ptrdiff_t;
  enum class Hint { Unknown, Increasing, Decreasing };
  static constexpr Index kInsertion = 12;
  static constexpr Index kLong = 50;

  LibraryOrder(std::vector<T>& values, Less less) : values_(values), less_(less) {}

  bool Below(Index a, Index b) const { return less_(At(a), At(b)); }
  void Swap(Index a, Index b) { std::swap(At(a), At(b)); }
  T& At(Index i) const { return values_[static_cast<size_t>(i)]; }

  void Quick(Index from, Index to, int bad_pivots_left) {
    bool balanced = true;
    bool partitioned = true;
    for (;;) {
      const Index length = to - from;
      if (length <= kInsertion) return Insertion(from, to);
      if (bad_pivots_left == 0) return Heap(from, to);
      if (!balanced) {
        Scatter(from, to);
        --bad_pivots_left;
      }
      auto [pivot, hint] = ChoosePivot(from, to);
      if (hint == Hint::Decreasing) {
        for (Index a = from, b = to - 1; a < b; ++a, --b) Swap(a, b);
        pivot = (to - 1) - (pivot - from);
        hint = Hint::Increasing;
      }
      if (balanced && partitioned && hint == Hint::Increasing && FinishSorted(from, to)) return;
      // What lies before this range is not below the pivot: the range begins with elements equal to it.
      if (from > 0 && !Below(from - 1, pivot)) {
        from = PartitionEqual(from, to, pivot);
        continue;
      }
      const auto [middle, was_partitioned] = Partition(from, to, pivot);
      partitioned = was_partitioned;
      const Index left = middle - from;
      const Index right = to - middle;
      balanced = (left < right ? left : right) >= length / 8;
      if (left < right) {
        Quick(from, middle, bad_pivots_left);
        from = middle + 1;
      } else {
        Quick(middle + 1, to, bad_pivots_left);
        to = middle;
      }
    }
  }

  void Insertion(Index from, Index to) {
    for (Index i = from + 1; i < to; ++i) {
      for (Index j = i; j > from && Below(j, j - 1); --j) Swap(j, j - 1);
    }
  }

  void SiftDown(Index root, Index end, Index first) {
    for (Index child = 2 * root + 1; child < end; child = 2 * root + 1) {
      if (child + 1 < end && Below(first + child, first + child + 1)) ++child;
      if (!Below(first + root, first + child)) return;
      Swap(first + root, first + child);
      root = child;
    }
  }

  void Heap(Index from, Index to) {
    const Index count = to - from;
    for (Index i = (count - 1) / 2; i >= 0; --i) SiftDown(i, count, from);
    for (Index i = count - 1; i >= 0; --i) {
      Swap(from, from + i);
      SiftDown(0, i, from);
    }
  }

  // Moves three elements of the middle elsewhere, by a fixed random sequence.
  void Scatter(Index from, Index to) {
    const Index length = to - from;
    if (length < 8) return;
    auto random = static_cast<uint64_t>(length);
    const uint64_t mask = (uint64_t{1} << static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(length)))) - 1;
    const Index middle = from + (length / 4) * 2;
    for (Index i = middle - 1; i <= middle + 1; ++i) {
      random ^= random << 13U;
      random ^= random >> 7U;
      random ^= random << 17U;
      auto other = static_cast<Index>(random & mask);
      if (other >= length) other -= length;
      Swap(i, from + other);
    }
  }

  std::pair<Index, Hint> ChoosePivot(Index from, Index to) const {
    const Index length = to - from;
    int swaps = 0;
    Index low = from + length / 4 * 1;
    Index middle = from + length / 4 * 2;
    Index high = from + length / 4 * 3;
    if (length >= 8) {
      if (length >= kLong) {
        low = Median(low - 1, low, low + 1, swaps);
        middle = Median(middle - 1, middle, middle + 1, swaps);
        high = Median(high - 1, high, high + 1, swaps);
      }
      middle = Median(low, middle, high, swaps);
    }
    constexpr int kAllSwapped = 4 * 3;
    return {middle, swaps == 0 ? Hint::Increasing : swaps == kAllSwapped ? Hint::Decreasing : Hint::Unknown};
  }

  Index Median(Index a, Index b, Index c, int& swaps) const {
    const auto order = [&](Index& x, Index& y) {
      if (!Below(y, x)) return;
      std::swap(x, y);
      ++swaps;
    };
    order(a, b);
    order(b, c);
    order(a, b);
    return b;
  }

  // Mends a range that is almost sorted; says whether it is sorted now.
  bool FinishSorted(Index from, Index to) {
    constexpr int kRepairs = 5;
    Index i = from + 1;
    for (int repair = 0; repair < kRepairs; ++repair) {
      while (i < to && !Below(i, i - 1)) ++i;
      if (i == to) return true;
      if (to - from < kLong) return false;
      Swap(i, i - 1);
      if (i - from >= 2) {
        for (Index j = i - 1; j >= 1 && Below(j, j - 1); --j) Swap(j, j - 1);
      }
      if (to - i >= 2) {
        for (Index j = i + 1; j < to && Below(j, j - 1); ++j) Swap(j, j - 1);
      }
    }
    return false;
  }

  Index PartitionEqual(Index from, Index to, Index pivot) {
    Swap(from, pivot);
    Index i = from + 1;
    Index j = to - 1;
    for (;;) {
      while (i <= j && !Below(from, i)) ++i;
      while (i <= j && Below(from, j)) --j;
      if (i > j) return i;
      Swap(i++, j--);
    }
  }

  // Where the pivot ended up, and whether nothing but it had to move.
  std::pair<Index, bool> Partition(Index from, Index to, Index pivot) {
    Swap(from, pivot);
    Index i = from + 1;
    Index j = to - 1;
    bool untouched = true;
    for (;;) {
      while (i <= j && Below(i, from)) ++i;
      while (i <= j && !Below(j, from)) --j;
      if (i > j) break;
      Swap(i++, j--);
      untouched = false;
    }
    Swap(j, from);
    return {j, untouched};
  }

  std::vector<T>& values_;
  Less less_;
};

template <typename T, typename Less>
void SortInLibraryOrder(std::vector<T>& values, Less less) {
  LibraryOrder<T, Less>::Sort(values, less);
}

}  // namespace berth::plugins
