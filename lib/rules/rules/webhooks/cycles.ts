/** A directed graph: what each node leads to. */
export type Graph<T> = ReadonlyMap<T, ReadonlySet<T>>;

/**
 * Nodes of a graph in groups: from every node of a group a way leads to every other node of it. Time in proportion to the
 * edges.
 * @see https://en.wikipedia.org/wiki/Kosaraju%27s_algorithm
 */
export function cyclesOf<T>(graph: Graph<T>): readonly ReadonlySet<T>[] {
  const seen = new Set<T>();
  const finished: T[] = [];
  for (const node of graph.keys()) {
    walk(graph, node, seen, (each) => finished.push(each));
  }
  const backwards = reversed(graph);
  const placed = new Set<T>();
  const groups: Set<T>[] = [];
  for (const node of finished.reverse()) {
    const group = new Set<T>();
    walk(backwards, node, placed, (each) => group.add(each));
    if (group.size > 1) {
      groups.push(group);
    }
  }
  return groups;
}

/** Visits what has not been seen, each node after all that it leads to. */
function walk<T>(graph: Graph<T>, start: T, seen: Set<T>, leave: (node: T) => void): void {
  if (seen.has(start)) {
    return;
  }
  seen.add(start);
  const stack = [{ node: start, next: (graph.get(start) ?? new Set<T>()).values() }];
  while (stack.length > 0) {
    const { node, next } = stack.at(-1)!;
    const { value, done } = next.next();
    if (done) {
      leave(node);
      stack.pop();
    } else if (!seen.has(value)) {
      seen.add(value);
      stack.push({ node: value, next: (graph.get(value) ?? new Set<T>()).values() });
    }
  }
}

function reversed<T>(graph: Graph<T>): Graph<T> {
  const backwards = new Map<T, Set<T>>();
  for (const [from, targets] of graph) {
    for (const to of targets) {
      const sources = backwards.get(to) ?? new Set<T>();
      backwards.set(to, sources.add(from));
    }
  }
  return backwards;
}

/** A shortest way from one node to another inside a group, both included. */
export function wayIn<T>(graph: Graph<T>, group: ReadonlySet<T>, from: T, to: T): readonly T[] {
  const cameFrom = new Map<T, T>();
  const queue = [from];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (group.has(next) && next !== from && !cameFrom.has(next)) {
        cameFrom.set(next, node);
        queue.push(next);
      }
    }
    if (cameFrom.has(to)) {
      break;
    }
  }
  const way = [to];
  for (let at = cameFrom.get(to); at !== undefined; at = cameFrom.get(at)) {
    way.unshift(at);
  }
  return way;
}
