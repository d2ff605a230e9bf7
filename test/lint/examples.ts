import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding, ManifestObject, LintResult, Rule, TemplateFile } from '../../lib/lint';
import { lint, readManifests } from '../../lib/lint';
import { now } from './lint-text';

/**
 * The examples of a rule, which `docs/rules.md` links to, are files in `test/lint/examples`:
 *
 * - `WH03.fires.yaml` and `WH03.silent.yaml`, a near miss
 * - beside each, where the rule needs it: `WH03.fires.before.yaml` (the objects before a change), `.live.yaml` (those of the
 *   cluster), `.tpl` (a template of a chart that was not rendered; then the first may be missing)
 */
export type ExampleKind = 'fires' | 'silent';

const folder = join(__dirname, 'examples');

/** Files of an example by what they are: `manifests`, `before`, `live`, `template`. */
export function exampleFiles(id: string, kind: ExampleKind): readonly (readonly [string, string])[] {
  const parts = [
    ['before', `${id}.${kind}.before.yaml`],
    ['live', `${id}.${kind}.live.yaml`],
    ['template', `${id}.${kind}.tpl`],
    ['manifests', `${id}.${kind}.yaml`],
  ] as const;
  return parts.filter(([, file]) => existsSync(join(folder, file)));
}

/** Texts of an example by what they are. */
export function exampleTexts(id: string, kind: ExampleKind): Readonly<Record<string, string>> {
  return Object.fromEntries(
    exampleFiles(id, kind).map(([part, file]) => [part, readFileSync(join(folder, file), 'utf8')]),
  );
}

/** Evaluates an example by one rule. */
export function evaluateExample(rule: Rule, texts: Readonly<Record<string, string>>): LintResult {
  const { manifests = '', before, live, template } = texts;
  return lint(objectsOf(manifests), {
    rules: [rule],
    now,
    ...(before === undefined ? {} : { before: objectsOf(before) }),
    ...(live === undefined ? {} : { live: objectsOf(live) }),
    ...(template === undefined ? {} : { templates: [templateFile(template)] }),
  });
}

/** A template as it is read from a chart. */
export function templateFile(text: string, file = 'chart/templates/example.yaml'): TemplateFile {
  const value = { apiVersion: 'v2', kind: 'Chart', metadata: { name: 'example' } };
  const source = { file, line: 1, document: 0, pointer: '', lineOf: () => 1 };
  return { chart: { apiVersion: 'v2', kind: 'Chart', name: 'example', value, source }, file, text };
}

/** Findings of the rule itself, without what is said of suppressions. */
export function ofRule(rule: Rule, { findings }: LintResult): readonly Finding[] {
  return findings.filter((finding) => finding.rule === rule.id);
}

/** The objects of a text. */
export function objectsOf(yaml: string): readonly ManifestObject[] {
  const { objects, unreadable } = readManifests(yaml, { file: 'example.yaml', read: () => yaml });
  if (unreadable.length > 0) {
    throw new Error(JSON.stringify(unreadable));
  }
  return objects;
}
