import type { ManifestObject, ObjectName } from './object';
import type { ObjectIndex } from './object-index';

/** `error`: it will refuse or break something. `warning`: it does so under some circumstances. `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** Every severity, the worst first. */
export const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** What a rule found in one object. */
export interface Finding {
  /** Id of the rule: `WH03`. */
  readonly rule: string;
  /** How much it matters: the rule's severity, unless the finding or a configuration says otherwise. */
  readonly severity: Severity;
  /** What is there, with its names and values: one line. */
  readonly message: string;
  /** Why it hurts: one line. */
  readonly why: string;
  /** How to fix it: one line. */
  readonly fix: string;
  /** Page of the rule. @default - it has none */
  readonly link?: string;
  /** The file that holds the object. @default - the object does not come from a file */
  readonly file?: string;
  /** Line of what `pointer` names, from 1. @default - the object does not come from a file */
  readonly line?: number;
  /** The object. */
  readonly object: ObjectName;
  /** JSON pointer (RFC 6901) of the field, inside the object; a field that is missing is named as if it were there. */
  readonly pointer: string;
  /** JSON pointers of other entries of the object of which the same is said. @default - none */
  readonly also?: readonly string[];
  /** A change of the object that fixes it and can break nothing. @default - none is safe */
  readonly fixPatch?: readonly JsonPatchOperation[];
}

/** The page of a rule of the library: its path in the package, since that needs no network. */
export function rulePage(id: string): string {
  return `docs/rules.md#${id.toLowerCase()}`;
}

/**
 * A rule: one file, one thing that hurts.
 *
 * Nothing in an object has to be of the right type; a {@link Field} reads it safely. A message never shows a value of a
 * Secret.
 *
 * @example
 * const noLatest: Rule = {
 *   id: 'ACME01',
 *   severity: 'warning',
 *   title: 'Image without a version',
 *   why: 'a pod that starts again may run another program',
 *   fix: 'name a version or a digest',
 *   *check({ objects }) {
 *     for (const { object, containers } of objects.view(workloads).all) {
 *       for (const { field } of containers) {
 *         const image = field.get('image');
 *         if (image.text?.endsWith(':latest')) {
 *           yield { object, pointer: image.pointer, message: `image ${image.text}` };
 *         }
 *       }
 *     }
 *   },
 * };
 */
export interface Rule {
  /** Capital letters and digits: `WH03`. */
  readonly id: string;
  /** Of its findings, unless one says otherwise. */
  readonly severity: Severity;
  /** What it looks for, as a heading: `Fail reaches system namespaces`. */
  readonly title: string;
  /** Why that hurts: one line. */
  readonly why: string;
  /** How to fix it: one line. */
  readonly fix: string;
  /** What gives a finding another severity, and why: one line. @default - nothing is said of it */
  readonly otherwise?: string;
  /** Its page. @default - the library's page, for a rule of the library; none for another */
  readonly link?: string;
  /**
   * What it can't run without: the objects as they were before a change, or those of the cluster. It is left out of a
   * run that has none.
   *
   * @default - the objects alone
   */
  readonly needs?: 'before' | 'live';
  /**
   * What it reads: `object`, each object on its own, so that an object can be refused before it is made; `files`, what
   * only files have: templates that were not rendered, keys that occur twice.
   *
   * @default - all objects of a run, together
   */
  readonly scope?: 'object' | 'files';
  /**
   * Kinds of the cluster's objects that it reads: only these are read. As a function, those that it needs for these
   * objects.
   *
   * @default - none
   */
  readonly liveKinds?: readonly LiveKind[] | ((objects: ObjectIndex) => readonly LiveKind[]);
  /** Checks all objects of a run. */
  check(context: RuleContext): Iterable<RawFinding>;
}

/** A kind of object, as its manifests name it. */
export interface LiveKind {
  /** `v1`, `cert-manager.io/v1` */
  readonly apiVersion: string;
  /** `ConfigMap` */
  readonly kind: string;
}

/** What a rule knows. */
export interface RuleContext {
  /** The objects that are checked. */
  readonly objects: ObjectIndex;
  /** The same objects as they were before. @default - not known */
  readonly before?: ObjectIndex;
  /** The objects of the cluster, of the kinds that rules ask for. @default - not known */
  readonly live?: ObjectIndex;
  /** The version of Kubernetes that the objects are for: `1.36`. @default - not known */
  readonly kubernetesVersion?: string;
  /** Templates of Helm charts that were not rendered. */
  readonly templates: readonly TemplateFile[];
  /** Now, in milliseconds since 1970: for the dates of certificates. */
  readonly now: number;
}

/** What a rule found, before it is put into words for a person. */
export interface RawFinding {
  /** The object that it is about. */
  readonly object: ManifestObject;
  /** JSON pointer in the object; a field that is missing is named as if it were there. */
  readonly pointer: string;
  /** What is there, with its names and values: one line. */
  readonly message: string;
  /** Where it differs from the rule's own. @default - the rule's */
  readonly severity?: Severity;
  /** Why it hurts, where that differs from what the rule says. @default - the rule's */
  readonly why?: string;
  /** How to fix it, where that differs from what the rule says. @default - the rule's */
  readonly fix?: string;
  /** Line in the object's file, from 1, for what no pointer can name. @default - that of the pointer */
  readonly line?: number;
  /** Other entries of the object of which the same is said. @default - none */
  readonly also?: readonly string[];
  /** A change of the object that fixes it and can break nothing. @default - none is safe */
  readonly fixPatch?: readonly JsonPatchOperation[];
}

/** One change of an object: an operation of JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | {
      /** `add` puts a value where none is, or into a list; `replace` puts it in the place of another. */
      readonly op: 'add' | 'replace';
      /** JSON pointer (RFC 6901) of the place. */
      readonly path: string;
      /** The new value. */
      readonly value: unknown;
    }
  | {
      /** Takes a value away. */
      readonly op: 'remove';
      /** JSON pointer (RFC 6901) of what is taken away. */
      readonly path: string;
    };

/** A template of a Helm chart that was not rendered. */
export interface TemplateFile {
  /** The chart as an object, `kind: Chart`, which findings name; its source is the template's file. */
  readonly chart: ManifestObject;
  /** Path of the template, as it was given. */
  readonly file: string;
  /** The template as it is written. */
  readonly text: string;
}
