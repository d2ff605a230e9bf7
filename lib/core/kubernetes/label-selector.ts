/** Labels of an object or a namespace. */
export type Labels = Readonly<Record<string, string>>;

/** One requirement of a label selector. */
export interface LabelSelectorRequirement {
  /** The label's key. */
  readonly key: string;
  /** How the label's value relates to `values`. `NotIn` also holds where the label is absent. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /**
   * The values of `In` and `NotIn`: at least one.
   * @default - none, as `Exists` and `DoesNotExist` require
   */
  readonly values?: readonly string[];
}

/**
 * A Kubernetes label selector: everything in it must hold.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export interface LabelSelector {
  /** Labels that must be there with exactly these values. @default - none */
  readonly matchLabels?: Labels;
  /** Further requirements. @default - none */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/**
 * Whether a webhook's selector selects something with these labels. An empty selector selects everything, and so
 * does none at all: the API server turns an absent selector of a webhook into an empty one.
 */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((requirement) => holds(requirement, labelOf(labels, requirement.key)))
  );
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function holds({ operator, values = [] }: LabelSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
