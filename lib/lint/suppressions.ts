import { allowAnnotation } from '../core/names';
import { nearKey } from '../core/validation/near-key';
import type { ConfigSuppression, LintConfig } from './config';
import { Field, objectName } from './object';
import type { ManifestObject, ObjectName } from './object';
import type { Finding } from './rule';
import { sup01, sup02 } from './suppression-rules';
import type { EngineRule } from './suppression-rules';

/** A suppression, wherever it is. */
interface Suppression {
  readonly rule: string;
  readonly reason: string;
  /** Whether the file that it is for is among those that are checked. */
  readonly isInSight: boolean;
  fits(object: ManifestObject): boolean;
  /** Where it is, for findings about itself. */
  readonly place: Pick<Finding, 'object' | 'pointer'> & {
    readonly file?: string;
    readonly line?: () => number;
  };
  used: boolean;
}

/** The rules of a run, by their ids. */
export interface RulesOfRun {
  /** All of them, those that ran and the others. */
  readonly known: ReadonlySet<string>;
  /** Those that ran: of another one it is not known whether it would find something. */
  readonly ran: ReadonlySet<string>;
  /** Those that were asked for: of others nothing is said. @default - all */
  readonly only?: ReadonlySet<string>;
}

/** Every suppression of a run. */
export class Suppressions {
  private readonly byObject = new Map<ManifestObject, Suppression[]>();
  private readonly ofConfig: readonly Suppression[];

  public constructor(
    objects: readonly ManifestObject[],
    private readonly config: LintConfig | undefined,
  ) {
    for (const object of objects) {
      const found = annotated(object);
      if (found.length > 0) {
        this.byObject.set(object, found);
      }
    }
    const files = [...new Set(objects.flatMap(({ source }) => source?.file ?? []))];
    this.ofConfig = (config?.suppress ?? []).map((each) => configured(each, config!.file, files));
  }

  /** The reason for which a finding is suppressed. @returns nothing where it is not */
  public reasonFor(rule: string, object: ManifestObject): string | undefined {
    const fitting = [...(this.byObject.get(object) ?? []), ...this.ofConfig].filter(
      (each) => each.rule === rule && each.reason !== '' && each.fits(object),
    );
    fitting.forEach((each) => (each.used = true));
    return fitting[0]?.reason;
  }

  /** Findings about the suppressions themselves, after all others were asked about. */
  public findings({ known, ran, only }: RulesOfRun): Finding[] {
    const all = [...[...this.byObject.values()].flat(), ...this.ofConfig].filter(
      ({ rule }) => only?.has(rule) ?? true,
    );
    return all.flatMap((each) => {
      if (each.reason === '') {
        return this.findingOf(
          sup01,
          each,
          `${each.rule} is suppressed without a reason, which suppresses nothing`,
        );
      }
      if (!known.has(each.rule)) {
        const near = nearKey(each.rule, [...known]);
        return near === undefined
          ? this.findingOf(sup02, each, `no rule has the id ${each.rule}`)
          : this.findingOf(
              sup02,
              each,
              `no rule has the id ${each.rule}: did you mean ${near}`,
              `write ${near}`,
            );
      }
      return ran.has(each.rule) && !each.used && each.isInSight
        ? this.findingOf(sup02, each, `${each.rule} finds nothing there any more`)
        : [];
    });
  }

  /** @returns none where the configuration leaves the rule out */
  private findingOf(
    rule: EngineRule,
    { place }: Suppression,
    message: string,
    fix: string = rule.fix,
  ): Finding[] {
    const { object, pointer, file, line } = place;
    const severity = this.config?.rules.get(rule.id) ?? rule.severity;
    return severity === 'off'
      ? []
      : [
          {
            rule: rule.id,
            severity,
            message,
            why: rule.why,
            fix,
            ...(rule.link === undefined ? {} : { link: rule.link }),
            ...(file === undefined ? {} : { file }),
            ...(line === undefined ? {} : { line: line() }),
            object,
            pointer,
          },
        ];
  }
}

function annotated(object: ManifestObject): Suppression[] {
  const annotations = Field.of(object).get('metadata', 'annotations');
  return annotations.keys
    .filter((key) => key.startsWith(allowAnnotation))
    .map((key) => {
      const value = annotations.get(key);
      const file = object.source?.file;
      return {
        rule: key.slice(allowAnnotation.length),
        reason: (value.text ?? '').trim(),
        isInSight: true,
        fits: (other) => other === object,
        place: {
          object: objectName(object),
          pointer: value.pointer,
          ...(file === undefined ? {} : { file, line: () => object.source!.lineOf(value.pointer) }),
        },
        used: false,
      };
    });
}

function configured(suppression: ConfigSuppression, file: string, files: readonly string[]): Suppression {
  const { rule, reason = '', line } = suppression;
  const object: ObjectName = { apiVersion: 'cluster-canary', kind: 'Configuration', name: file };
  return {
    rule,
    reason: reason.trim(),
    isInSight: suppression.file === undefined || files.some((each) => isOfFile(each, suppression.file!)),
    fits: (evaluated) => fits(suppression, evaluated),
    place: { object, pointer: '', file, line: () => line },
    used: false,
  };
}

function fits({ object = {}, file }: ConfigSuppression, evaluated: ManifestObject): boolean {
  return (
    (file === undefined || (evaluated.source !== undefined && isOfFile(evaluated.source.file, file))) &&
    (object.kind === undefined || object.kind === evaluated.kind) &&
    (object.namespace === undefined || object.namespace === evaluated.namespace) &&
    (object.name === undefined || object.name === evaluated.name)
  );
}

/** @param wanted a file, or a folder with `/` at its end */
function isOfFile(file: string, wanted: string): boolean {
  return file === wanted || (wanted.endsWith('/') && file.startsWith(wanted));
}
