extension RandomAccessCollection where Index == Int {
    /// The index of the last element whose number is at most a limit, where the numbers ascend; the first one's if there is none.
    func lastIndex<Number: Comparable>(upTo limit: Number, by number: (Element) -> Number) -> Int {
        var (low, high) = (startIndex, Swift.max(startIndex, endIndex - 1))
        while low < high {
            let middle = (low + high + 1) / 2
            if number(self[middle]) <= limit { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
