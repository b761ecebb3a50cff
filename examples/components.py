"""Connected components: loops of one's own, as a function of arrays."""

import numpy as np

import muntin as mt

BEFORE = {4: ((0, -1), (-1, 0)), 8: ((0, -1), (-1, -1), (-1, 0), (-1, 1))}


def root_of(p: mt.Loops, parent, label):
    """Walk up from a label to the label that stands for its component."""
    root = p.variable(label)
    with p.while_(lambda: parent[root] != root):
        root.assign(parent[root])
    return root


def labelling(connectivity: int) -> mt.Program:
    """Return a program that numbers the components of a mask from 1 on, in raster order."""

    @mt.program(
        mask=mt.Input("bool", 2),
        labels=mt.Output("int32", 2, lambda mask: mask),
        count=mt.Output("int32", 0, ()),
        parent=mt.Scratch("int32", 1, lambda mask: mask[0] * mask[1] // 2 + 2),
    )
    def label(p, mask, labels, count, parent):
        rows, columns = mask.shape
        last = p.variable(0, "int32")  # the latest provisional label

        with p.for_(rows) as y, p.for_(columns) as x, p.if_(mask[y, x]):
            mine = p.variable(0, "int32")
            for dy, dx in BEFORE[connectivity]:
                other = labels.get((y + dy, x + dx), 0)
                with p.if_(other != 0):
                    root = root_of(p, parent, other)
                    with p.if_(mine == 0):
                        mine.assign(root)
                    with p.else_():  # two components meet: the older one goes on
                        low, high = p.minimum(mine, root), p.maximum(mine, root)
                        parent[high] = low
                        mine.assign(low)
            with p.if_(mine == 0):
                last += 1
                parent[last] = last
                mine.assign(last)
            labels[y, x] = mine

        total = p.variable(0, "int32")
        with p.for_(1, last + 1) as i:
            with p.if_(parent[i] == i):
                total += 1
                parent[i] = total
            with p.else_():  # parents are older, and have their number
                parent[i] = parent[parent[i]]
        with p.for_(rows) as y, p.for_(columns) as x:
            labels[y, x] = parent[labels[y, x]]
        count[()] = total

    return label


def main() -> None:
    text = """
    ##..#....
    .#..#..##
    ...#...##
    ..#..#...
    ####..##.
    """
    mask = np.array([[cell == "#" for cell in line] for line in text.split()])
    for connectivity in (4, 8):
        label = labelling(connectivity)
        labels, count = mt.eval(*label(mask))
        with mt.use("reference"):  # the same loops in Python, every index checked
            assert np.array_equal(label(mask)[0], labels)
        print(f"{int(count)} components of {connectivity} neighbours")
        print("\n".join("".join(f"{each or '.'}" for each in line) for line in np.asarray(labels)))


if __name__ == "__main__":
    main()
