import type { LabelSelector } from '../../admission';
import { selects } from '../../admission';
import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import type { ObjectIndex } from '../object-index';
import type { Workload } from './workloads';

/**
 * PodDisruptionBudgets that select a workload's pods: an empty selector selects all of the namespace, none selects nothing.
 * A budget or a workload without a namespace may be in any.
 */
export function budgetsOf(objects: ObjectIndex, workload: Workload): readonly JudgedObject[] {
  const byNamespace = objects.view(budgets);
  const { namespace } = workload.object;
  const near = namespace === undefined ? [...byNamespace.keys()] : [namespace, undefined];
  return near.flatMap((each) => {
    const inNamespace = byNamespace.get(each);
    const candidates = Object.entries(workload.labels).flatMap(
      (label) => inNamespace?.byLabel.get(label.join('=')) ?? [],
    );
    return [...candidates, ...(inNamespace?.others ?? [])]
      .filter(({ selector }) => selects(selector, workload.labels))
      .map(({ object }) => object);
  });
}

interface Budget {
  readonly object: JudgedObject;
  readonly selector: LabelSelector;
}

/** Budgets of a namespace. */
interface Budgets {
  /** By one of the labels that they ask for. */
  readonly byLabel: Map<string, Budget[]>;
  /** Those that ask for none by `matchLabels`. */
  readonly others: Budget[];
}

function budgets(objects: ObjectIndex): Map<string | undefined, Budgets> {
  const found = new Map<string | undefined, Budgets>();
  for (const object of objects.ofKind('policy', 'PodDisruptionBudget')) {
    const selector = Field.of(object).get('spec', 'selector').selector;
    if (selector) {
      const inNamespace = found.get(object.namespace) ?? { byLabel: new Map<string, Budget[]>(), others: [] };
      found.set(object.namespace, inNamespace);
      listFor(inNamespace, selector).push({ object, selector });
    }
  }
  return found;
}

/** By the last label: the first is often one that all objects have in common. */
function listFor({ byLabel, others }: Budgets, { matchLabels = {} }: LabelSelector): Budget[] {
  const label = Object.entries(matchLabels).at(-1)?.join('=');
  if (label === undefined) {
    return others;
  }
  const list = byLabel.get(label) ?? [];
  byLabel.set(label, list);
  return list;
}
