package pack

// heap is a binary heap; its first item comes before all others.
type heap[T any] struct {
	items  []T
	before func(a, b T) bool
}

func (h *heap[T]) push(x T) {
	q := append(h.items, x)
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.before(q[i], q[up]) {
			break
		}
		q[i], q[up] = q[up], q[i]
		i = up
	}
	h.items = q
}

// pop takes the first item of a heap that is not empty.
func (h *heap[T]) pop() T {
	q := h.items
	first, last := q[0], len(q)-1
	q[0] = q[last]
	q = q[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && h.before(q[child+1], q[child]) {
			child++
		}
		if !h.before(q[child], q[i]) {
			break
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
	h.items = q
	return first
}
