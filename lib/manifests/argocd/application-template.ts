import { across, list, object, optional } from '../../core/validation/collections';
import { labelKey } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { text } from '../../core/validation/values';
import { completed, completedAnnotations, completedLabels } from '../field-schemas';
import type { Completion } from '../field-schemas';
import { applicationSpecEntries, specObjections } from './application';
import type { ApplicationFinalizer, ApplicationSpec, Destination } from './application';
import type { ApplicationSource } from './application-source';

/** What every Application of a set looks like; any text may hold template expressions. */
export interface ApplicationTemplate {
  /** What the Applications are known by. */
  readonly metadata: {
    /**
     * Name of each Application. It needs an expression (`{{.name}}-podinfo`) where the generators may give more
     * than one set of parameters, or the Applications would all have one name.
     */
    readonly name: string;
    /** Labels. @default - none */
    readonly labels?: Readonly<Record<string, string>>;
    /** Annotations. @default - none */
    readonly annotations?: Readonly<Record<string, string>>;
    /**
     * Finalizers.
     * @default - Argo CD adds `resources-finalizer.argocd.argoproj.io` (what was deployed goes with the
     * Application) unless `preserveResourcesOnDeletion` is set
     */
    readonly finalizers?: readonly ApplicationFinalizer[];
  };
  /** What the Applications deploy, where, and how. */
  readonly spec: ApplicationSpec;
}

const by: Completion = 'deployment or controller';

/** A value in an ApplicationSet, where its controller may complete a text. */
export function templated(rule: Format): Schema<never> {
  return completed(rule, by);
}

/** What every Application of a set looks like. The name's form depends on how templates are read. */
export const applicationTemplateSchema: Schema<ApplicationTemplate> = across(
  object<ApplicationTemplate>({
    metadata: object({
      name: text('a text'),
      labels: optional(completedLabels(by)),
      annotations: optional(completedAnnotations(by)),
      finalizers: optional(list(templated(labelKey))),
    }),
    spec: object(applicationSpecEntries(by)),
  }),
  ({ metadata, spec }, objections) => {
    if (isPlainObject(spec)) {
      specObjections(['spec'], spec, isPlainObject(metadata) ? metadata.name : undefined, by, objections);
    }
  },
);

/**
 * What the Applications of one generator have otherwise than the others of the set. Argo CD lays it over the set's template:
 * maps are joined, a text or list takes the place of the other one.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Template/#generator-templates
 */
export interface GeneratorTemplate {
  /** What the Applications are known by. @default - as the set's template has it */
  readonly metadata?: Partial<ApplicationTemplate['metadata']>;
  /** What the Applications deploy, where, and how. @default - as the set's template has it */
  readonly spec?: Partial<Omit<ApplicationSpec, 'source' | 'destination'>> & {
    /** Where the objects come from; with `sources` here, the set's `source` does not count. @default - as the set's template has it */
    readonly source?: Partial<ApplicationSource>;
    /** Cluster and namespace that the objects go to. @default - as the set's template has it */
    readonly destination?: Partial<Destination>;
  };
}
