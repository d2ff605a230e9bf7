/** Version of the plan as a JSON document; it grows when a field changes its meaning or goes away. */
export const schemaVersion = 1;

/** Stands in a plan for a value that is secret. */
export const secretPlaceholder = '[secret]';

/** Stands in a plan for a value, or a part of a text, that only a deployment knows. */
export const unknownText = '[unknown]';

/**
 * What a resource is: the stack itself, a component of the program, a remote component (its provider makes its
 * children, so they are not in the plan), a resource of a provider, a provider, or a resource that is only read.
 */
export type PlannedResourceKind = 'stack' | 'component' | 'remote' | 'custom' | 'provider' | 'read';

/** One resource as the program would register it. */
export interface PlannedResource {
  /** Pulumi's name for the resource, with the types of its parents: `urn:pulumi:dev::shop::a$b::name`. */
  readonly urn: string;
  /** Type token: `aws:lb/listenerRule:ListenerRule`. */
  readonly type: string;
  /** The name that the program gave. */
  readonly name: string;
  /** What it is to Pulumi. */
  readonly kind: PlannedResourceKind;
  /** URN of the parent; null for the stack. */
  readonly parent: string | null;
  /** Inputs, with `[secret]` and `[unknown]` in place of values that can't be shown. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** URNs of everything that must exist before it. */
  readonly dependencies: readonly string[];
  /** The same by input property, where a property carries a dependency. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  /** URN of the explicit provider; null where Pulumi's default provider is used. */
  readonly provider: string | null;
  /** Whether Pulumi would refuse to delete it. */
  readonly protect: boolean;
  /** URN of the resource whose deletion makes deleting this one unnecessary; null without one. */
  readonly deletedWith: string | null;
  /** Names of the hooks that a deployment would run, by occasion: `beforeUpdate`. */
  readonly hooks: Readonly<Record<string, readonly string[]>>;
}

/** Something that was registered with the engine and that a preview does not run. */
export interface NotRun {
  /** Names of hooks. */
  readonly hooks: readonly string[];
  /** Number of transforms that were not run: those of resources are run, so their numbers are 0. */
  readonly transforms: {
    /** Of the whole stack. */
    readonly stack: number;
    /** Of single resources. */
    readonly resource: number;
    /** Of invokes. */
    readonly invoke: number;
  };
}

/** Something whose result a deployment would know and this plan does not. */
export interface UnknownResult {
  /**
   * `invoke`: a function of a provider; `call`: a method of a remote component; `stackReference`: outputs of
   * another stack; `read`: an existing resource; `environment`: a Pulumi ESC environment.
   */
  readonly kind: 'invoke' | 'call' | 'stackReference' | 'read' | 'environment';
  /** Its token, stack name, URN or environment name. */
  readonly name: string;
  /** How often it was asked for. */
  readonly times: number;
}

/** Counts of a plan. */
export interface PlanSummary {
  /** Resources without the stack itself. */
  readonly resources: number;
  /** Resources by kind; kinds that are not there are left out. */
  readonly kinds: Readonly<Partial<Record<PlannedResourceKind, number>>>;
  /** Resources by type token. */
  readonly types: Readonly<Record<string, number>>;
}

/**
 * What a program would register, made without any cloud, engine or login. It is a plan of registrations, not a
 * diff: nothing that is deployed was looked at.
 */
export interface PreviewPlan {
  /** Version of this document's form. */
  readonly schemaVersion: typeof schemaVersion;
  /** Name of the Pulumi project. */
  readonly project: string;
  /** Name of the stack. */
  readonly stack: string;
  /** Name of the stack's configuration file; null where it has none. */
  readonly configurationFile: string | null;
  /** Resources in the order in which the program makes them, each after its parent. */
  readonly resources: readonly PlannedResource[];
  /** Stack outputs. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Hooks and transforms. */
  readonly notRun: NotRun;
  /** What could not be known offline, each once. */
  readonly unknown: readonly UnknownResult[];
  /** Counts. */
  readonly summary: PlanSummary;
}

/** Counts resources. */
export function summarize(resources: readonly PlannedResource[]): PlanSummary {
  const kinds: Partial<Record<PlannedResourceKind, number>> = {};
  const types: Record<string, number> = {};
  for (const { kind, type } of resources) {
    if (kind !== 'stack') {
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      types[type] = (types[type] ?? 0) + 1;
    }
  }
  return {
    resources: Object.values(kinds).reduce((sum, count) => sum + count, 0),
    kinds,
    types: Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
