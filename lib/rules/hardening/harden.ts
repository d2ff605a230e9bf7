import type { Problem, OptionsOf } from '../../problems';
import { InvalidInput, refuseOptions } from '../../problems';
import type { LintOptions } from '../engine/options';
import type { RuleFailure } from '../engine/result';
import type { Finding } from '../finding';
import type { JudgedObject } from '../judged-object';
import type { LeftAlone } from '../mending/left-as';
import type { Mending } from '../mending/mend-files';
import { mendFiles } from '../mending/mend-files';
import { placedIn } from '../mending/placed';
import type { Unreadable } from '../reading/read-manifests';
import { readManifests } from '../reading/read-manifests';
import type { HardeningDecision } from './decision';
import type { HardenOptions } from './options';
import { judgementOf, hardenOptionsKeys, outcomeProblems } from './options';

/** What hardening came to. */
export interface Hardening {
  /** What was changed, as it was found. */
  readonly changed: readonly Finding[];
  /** What is still found, and why it was not changed. */
  readonly left: readonly LeftAlone[];
  /** Rules that threw: what they would have changed is as it was. */
  readonly failures: readonly RuleFailure[];
  /** Decisions that are about nothing that is judged: no webhook has the name, or nothing calls the Service. */
  readonly unmatched: readonly HardeningDecision[];
}

/** Hardened manifests. Lines of findings are those of the text that was given. */
export interface HardenedText extends Hardening {
  /** All of them; documents without a change are the same byte for byte. */
  readonly text: string;
  /** How many Kubernetes objects there are. */
  readonly objects: number;
}

/** How a text is hardened. */
export interface HardenTextOptions extends HardenOptions {
  /** How messages name the text. @default 'stdin' */
  readonly file?: string;
}

const hardenTextOptionsKeys: OptionsOf<HardenTextOptions> = { ...hardenOptionsKeys, file: 'plain' };

/**
 * Manifests in, safer manifests out: the CA of webhooks is injected from the authority in place of the server's own
 * certificate, authorities keep their key and outlive what they sign, every other safe mend of a rule is made, and what was
 * decided about webhooks is written; decisions that would bring an error are refused. Hardened once more, the text stays the same.
 *
 * @param text a stream of YAML documents, or JSON
 * @throws InvalidInput with everything that is not YAML, by line and column, and with what is wrong with decisions
 *   or comes of them
 *
 * @example
 * const { text, changed } = harden(rendered, {
 *   decisions: [{ service: 'platform/gate', injectCaFrom: 'platform/gate-ca-g1', timeoutSeconds: 5 }],
 * });
 */
export function harden(text: string, options: HardenTextOptions = {}): HardenedText {
  refuseOptions('harden', options, hardenTextOptionsKeys);
  const { file = 'stdin' } = options;
  const { objects, unreadable } = readManifests(text, { file, read: () => text });
  const judgement = judgementOf(objects, options);
  const problems = [...unreadable.map(notYaml), ...judgement.problems];
  throwIfAny(problems);
  const all = [...objects, ...judgement.beside.map((object) => besideOf(object, file))];
  const isText = (changed: string): boolean => changed === file;
  const mend = (each: LintOptions): Mending => mendFiles(all, () => text, each, isText);
  const mending = mend(judgement.options);
  const outcome = outcomeProblems(judgement, all, mending.after, (each) => mend(each).after);
  throwIfAny(outcome);
  const placed = placedIn(objects);
  return {
    text: mending.texts.get(file) ?? text,
    objects: objects.length,
    changed: mending.mended.map(placed),
    left: mending.leftAlone
      .filter(({ finding }) => finding.file === file)
      .map((each) => ({ ...each, finding: placed(each.finding) })),
    failures: mending.after.failures,
    unmatched: judgement.unmatched,
  };
}

/** As it is looked at: its file says which cluster it is of, and is not read again for lines that are not shown. */
function besideOf({ source, ...object }: JudgedObject, text: string): JudgedObject {
  if (source === undefined || source.file === text) {
    return object;
  }
  const { file, line, document, pointer } = source;
  return { ...object, source: { file, line, document, pointer, lineOf: () => line } };
}

function throwIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) {
    throw new InvalidInput('manifests', problems);
  }
}

function notYaml({ file, line, column, reason }: Unreadable): Problem {
  const path = [file, line, column].filter((part) => part !== undefined).join(':');
  return { path, allowed: `YAML that can be read: ${reason}` };
}
