import { isMap, isScalar, isSeq } from 'yaml';
import type { ParsedNode } from 'yaml';
import { checkLength } from '../core/validation/document';
import { oneOf } from '../core/validation/formats';
import { InvalidInput } from '../core/validation/problems';
import type { Problem, Rule } from '../core/validation/problems';
import { readYaml } from '../core/validation/yaml';
import type { YamlReading } from '../core/validation/yaml';
import { severities } from './rule';
import type { Severity } from './rule';
import { allRules } from './rules';
import { suppressionRules } from './suppression-rules';

/** What a `cluster-canary.yaml` says. */
export interface LintConfig {
  /** As messages name it. */
  readonly file: string;
  /** What is not reported, in the order of the file. */
  readonly suppress: readonly ConfigSuppression[];
  /** Other severities than the rules' own, by rule; `off` leaves a rule out. */
  readonly rules: ReadonlyMap<string, Severity | 'off'>;
}

/** A suppression of a configuration file: every part that it names must fit. */
export interface ConfigSuppression {
  /** Id of the rule. */
  readonly rule: string;
  /** The objects that it is for: those that every given field fits. @default - any object */
  readonly object?: {
    /** Kind of the object. @default - any */
    readonly kind?: string;
    /** Namespace of the object. @default - any */
    readonly namespace?: string;
    /** Name of the object. @default - any */
    readonly name?: string;
  };
  /** File of the object, or a folder with `/` at its end, as findings name them. @default - any */
  readonly file?: string;
  /**
   * Why the rule does not matter there: for the next reader.
   * @default - none, so nothing is suppressed, and that is a finding itself
   */
  readonly reason?: string;
  /** Line in the configuration file, from 1. */
  readonly line: number;
}

/** Ids of the library's rules, those about suppressions too. */
const ownIds = [...allRules, ...suppressionRules].map(({ id }) => id);

const ownPrefixes = new Set(ownIds.map(prefixOf));

/** What there is to know of rules that somebody has written. */
export interface OtherRules {
  /**
   * Leaves out what is said of rules that are not known here, where no rule of the library has their prefix: `ACME01`, and
   * not `WH033`, which is refused. For those who run the library's rules alone by a configuration that others share.
   *
   * @default false - ids that are not known are refused
   */
  readonly ignoreOthers?: boolean;
}

/**
 * Reads a `cluster-canary.yaml`.
 *
 * @param file how messages name it
 * @param ids of the rules there are. @default - those of the library
 * @throws InvalidInput with everything that is wrong, each with line and column
 *
 * @example
 * suppress:
 *   - rule: WH06
 *     object: { kind: MutatingWebhookConfiguration, name: sidecars }
 *     reason: every pod of this cluster needs the sidecar
 * rules:
 *   WH09: info
 *   WH13: 'off'
 */
export function readLintConfig(
  text: string,
  file = 'cluster-canary.yaml',
  ids: readonly string[] = ownIds,
  { ignoreOthers = false }: OtherRules = {},
): LintConfig {
  const known = new Set(ids);
  const isIgnored = (id: string): boolean => ignoreOthers && !known.has(id) && !ownPrefixes.has(prefixOf(id));
  const { suppress, rules } = new ConfigReader(text, file, ids, isIgnored).read();
  return { file, suppress: suppress.filter(({ rule }) => !isIgnored(rule)), rules };
}

/** `WH` of `WH03` */
function prefixOf(id: string): string {
  return id.replace(/\d+$/, '');
}

const text: Rule = {
  allowed: 'a text of one character or more',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
};

/** A reason may be missing or empty: that is a finding, and no problem of the file. */
const reason: Rule = {
  allowed: 'a text',
  accepts: (value) => typeof value === 'string' || value === null,
};

const ruleId: Rule = {
  allowed: 'the id of a rule, such as WH03',
  accepts: (value) => typeof value === 'string' && /^[A-Z]+\d+$/.test(value),
};

class ConfigReader {
  private readonly reading: YamlReading;
  private readonly problems: Problem[] = [];

  public constructor(
    content: string,
    private readonly file: string,
    private readonly ids: readonly string[],
    private readonly isIgnored: (id: string) => boolean,
  ) {
    checkLength(content, file);
    this.reading = readYaml(content);
  }

  public read(): Omit<LintConfig, 'file'> {
    for (const { offset, message } of this.reading.problems) {
      this.problems.push({ path: this.at(offset), allowed: `valid YAML: ${message}` });
    }
    this.throwIfAny();
    const root: ParsedNode | null = this.reading.document.contents;
    const fields = this.fields(root, '', ['suppress', 'rules', 'harden'], false);
    const config = {
      suppress: this.items(fields.get('suppress'), 'suppress').map((each, position) =>
        this.suppression(each, `suppress[${position}]`),
      ),
      rules: this.severities(fields.get('rules')),
    };
    this.throwIfAny();
    return config;
  }

  private suppression(node: Node, path: string): ConfigSuppression {
    const fields = this.fields(node, path, ['rule', 'object', 'file', 'reason'], true);
    if (!fields.has('rule')) {
      this.wrong(node, `${path}.rule`, undefined, ruleId.allowed);
    }
    const object = fields.get('object');
    const names = this.fields(object, `${path}.object`, ['kind', 'namespace', 'name'], object !== undefined);
    const parts = (['kind', 'namespace', 'name'] as const).flatMap((key) => {
      const value = this.scalar(names.get(key), `${path}.object.${key}`, text);
      return value === undefined ? [] : [[key, value] as const];
    });
    const [file, why] = [
      this.scalar(fields.get('file'), `${path}.file`, text),
      this.scalar(fields.get('reason'), `${path}.reason`, reason),
    ];
    return {
      rule: this.scalar(fields.get('rule'), `${path}.rule`, ruleId) ?? '',
      ...(parts.length > 0 ? { object: Object.fromEntries(parts) } : {}),
      ...(file === undefined ? {} : { file: file.replace(/^\.\//, '') }),
      ...(why === undefined ? {} : { reason: why }),
      line: this.reading.lines.linePos(startOf(node)).line,
    };
  }

  private severities(node: Node): Map<string, Severity | 'off'> {
    const allowed = oneOf(...severities, 'off');
    const known = oneOf(...this.ids);
    const found = new Map<string, Severity | 'off'>();
    for (const [id, value] of this.fields(node, 'rules', undefined, false)) {
      if (!known.accepts(id) && !this.isIgnored(id)) {
        this.wrong(value, `rules.${id}`, id, 'the id of a rule');
      }
      // Without quotes, `off` is a boolean to some readers of YAML.
      const severity = this.scalar(value, `rules.${id}`, {
        ...allowed,
        accepts: (each) => each === false || allowed.accepts(each),
      });
      if (severity !== undefined && known.accepts(id)) {
        found.set(id, severity as Severity | 'off');
      }
    }
    return found;
  }

  /** Entries of a map; what is none, or has other keys, is a problem. */
  private fields(
    node: Node,
    path: string,
    keys: readonly string[] | undefined,
    required: boolean,
  ): Map<string, ParsedNode | null> {
    const found = new Map<string, ParsedNode | null>();
    if (isNothing(node) && !required) {
      return found;
    }
    if (!isMap(node)) {
      const allowed = keys ? `a map with ${keys.join(', ')}` : 'a map of severities by rule';
      this.wrong(node, path || 'the file', node?.toJSON(), allowed);
      return found;
    }
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (keys && !keys.includes(name)) {
        this.wrong(key, [path, name].filter(Boolean).join('.'), name, oneOf(...keys).allowed);
      } else {
        found.set(name, value);
      }
    }
    return found;
  }

  private items(node: Node, path: string): readonly ParsedNode[] {
    if (isNothing(node)) {
      return [];
    }
    if (!isSeq(node)) {
      this.wrong(node, path, node?.toJSON(), 'a list');
      return [];
    }
    return node.items;
  }

  private scalar(node: Node, path: string, allowed: Rule): string | undefined {
    if (node === undefined) {
      return undefined;
    }
    const value: unknown = node === null ? null : isScalar(node) ? node.value : node.toJSON();
    if (!allowed.accepts(value)) {
      this.wrong(node, path, value, allowed.allowed);
      return undefined;
    }
    return value === false ? 'off' : ((value as string | null) ?? undefined);
  }

  private wrong(node: Node, path: string, value: unknown, allowed: string): void {
    this.problems.push({ path: `${this.at(startOf(node))} ${path}`, value, allowed });
  }

  private at(offset: number): string {
    const { line, col } = this.reading.lines.linePos(offset);
    return `${this.file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  }

  private throwIfAny(): void {
    if (this.problems.length > 0) {
      throw new InvalidInput('lint configuration', this.problems);
    }
  }
}

type Node = ParsedNode | null | undefined;

function isNothing(node: Node): boolean {
  return node === undefined || node === null || (isScalar(node) && node.value === null);
}

function startOf(node: Node): number {
  return node?.range[0] ?? 0;
}
