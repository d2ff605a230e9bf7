import { isMap, isNode, isSeq } from 'yaml';
import type { Document } from 'yaml';
import { arnParts, awsRegion, iamRoleArn } from '../../core/aws/arns';
import { reservedKeys } from '../../core/names';
import { checkLength, firstProblems, moreProblems, pairOf } from '../../core/validation/document';
import {
  dnsLabel,
  dnsSubdomain,
  labelKey,
  labelValue,
  oneOf,
  someText,
  wholeNumber,
} from '../../core/validation/formats';
import { InvalidInput, isMapping } from '../../core/validation/problems';
import type { Problem, Rule } from '../../core/validation/problems';
import { plainValue, readYaml } from '../../core/validation/yaml';
import type { ClusterSet } from './cluster-set';
import { Field, account, durationFrom, tagKey, tagValue, templateOf, yesOrNo } from './fields';
import type { LocatedProblem, Steps } from './fields';
import { loginProblems } from './login-problems';

const ownerName: Rule = {
  allowed: `a label value that is not empty: ${labelValue.allowed}`,
  accepts: (value) => value !== '' && labelValue.accepts(value),
};

const anyText: Rule = {
  allowed: 'a text (numbers and booleans in quotation marks)',
  accepts: (value) => typeof value === 'string',
};

/** Everything that is wrong with the content of a configuration file. */
export function clusterSetProblems(content: unknown): readonly LocatedProblem[] {
  const found: LocatedProblem[] = [];
  const root = new Field(found, content);
  if (!isMapping(content)) {
    root.wrongSecretly('a mapping with metadata and spec');
    return found;
  }
  // A file that was copied out of a cluster has a status, which nobody reads.
  root.onlyKeys('apiVersion', 'kind', 'metadata', 'spec', 'status');
  root.at('kind').optional(oneOf('ClusterSet'));
  root.at('metadata').at('name').required(ownerName);
  root.at('metadata').at('namespace').optional(dnsLabel);
  const spec = root.at('spec');
  spec.onlyKeys('selector', 'template', 'accounts', 'adopt', 'deletion', 'concurrency', 'interval');
  checkSelector(spec);
  checkAccounts(spec);
  checkTemplateFields(spec.at('template'));
  spec.at('adopt').optional(yesOrNo);
  spec.at('deletion').onlyKeys('gracePeriod', 'maxShare');
  spec.at('deletion').at('gracePeriod').optional(durationFrom(0, 'a duration such as "15m" or "1h"'));
  spec.at('deletion').at('maxShare').optional(wholeNumber(0, 100));
  spec.at('concurrency').optional(wholeNumber(1, 100));
  spec.at('interval').optional(durationFrom(10_000, 'a duration of at least 10s, such as "1m"'));
  return found;
}

function checkSelector(spec: Field): void {
  const selector = spec.at('selector');
  if (!selector.isThere) {
    selector.wrong('a mapping with eksTags or matchExpressions; {} selects every cluster');
    return;
  }
  selector.onlyKeys('eksTags', 'matchExpressions', 'roleARN');
  for (const [key, value] of selector.at('eksTags').entries()) {
    if (!tagKey.accepts(key)) {
      value.wrong(`under ${tagKey.allowed}`);
    }
    value.required(tagValue);
  }
  for (const requirement of selector.at('matchExpressions').items()) {
    requirement.onlyKeys('key', 'operator', 'values');
    requirement.at('key').required(tagKey);
    const operator = requirement.at('operator');
    operator.required(oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'));
    const values = requirement.at('values');
    const items = values.items();
    items.forEach((value) => value.required(tagValue));
    const isSet = operator.value === 'In' || operator.value === 'NotIn';
    if (isSet && items.length === 0) {
      values.wrong(`at least one value: the operator is "${operator.value as string}"`);
    } else if (!isSet && items.length > 0) {
      values.wrong('left out: only In and NotIn take values');
    }
  }
  selector.at('roleARN').optional(iamRoleArn);
  if (selector.at('roleARN').isThere && spec.at('accounts').isThere) {
    selector.at('roleARN').wrong('left out: spec.accounts says which roles are assumed');
  }
}

function checkAccounts(spec: Field): void {
  const accounts = spec.at('accounts');
  const items = accounts.items();
  if (accounts.isThere && items.length === 0) {
    accounts.wrong('at least one account, or left out');
  }
  const seen = new Set<string>();
  for (const each of items) {
    each.onlyKeys('roleArn', 'regions', 'account');
    each.at('roleArn').optional(iamRoleArn);
    each.at('account').optional(account);
    const ofRole = arnParts(String(each.at('roleArn').value))?.account;
    if (
      ofRole !== undefined &&
      account.accepts(each.at('account').value) &&
      each.at('account').value !== ofRole
    ) {
      each.at('account').wrong(`that of roleArn, ${ofRole}, or left out`);
    }
    const regions = each.at('regions').items();
    if (each.at('regions').isThere && regions.length === 0) {
      each.at('regions').wrong('at least one region, or left out');
    }
    for (const region of regions) {
      region.required(awsRegion);
      const place = JSON.stringify([each.at('roleArn').value ?? null, region.value]);
      if (seen.has(place)) {
        region.wrong('a region that is not asked with this role already');
      }
      seen.add(place);
    }
  }
}

function checkTemplateFields(template: Field): void {
  if (!template.isThere) {
    template.wrong('a mapping; {} registers clusters under their own names');
    return;
  }
  const fields = ['metadata', 'clusterName', 'server', 'config', 'project', 'shard', 'namespaces'];
  template.onlyKeys(...fields, 'clusterResources');
  const metadata = template.at('metadata');
  metadata.onlyKeys('name', 'labels', 'annotations', 'config');
  metadata.at('name').optional(templateOf(dnsSubdomain));
  checkKeys(metadata.at('labels'), templateOf(labelValue));
  checkKeys(metadata.at('annotations'), templateOf(anyText));
  template.at('clusterName').optional(templateOf(someText));
  template.at('server').optional(oneOf('endpoint', 'arn'));
  template.at('project').optional(templateOf(dnsSubdomain));
  template.at('shard').optional(templateOf(wholeNumber(0, Number.MAX_SAFE_INTEGER)));
  template
    .at('namespaces')
    .items()
    .forEach((namespace) => namespace.required(dnsLabel));
  template.at('clusterResources').optional(yesOrNo);
  loginProblems(template);
}

function checkKeys(mapping: Field, rule: Rule): void {
  for (const [key, value] of mapping.entries()) {
    if (!labelKey.accepts(key)) {
      value.wrong(`under ${labelKey.allowed}`);
    }
    if (reservedKeys.includes(key)) {
      value.wrong('left out: this key is kept by others');
    }
    value.required(rule);
  }
}

/**
 * Reads a set from YAML or JSON.
 *
 * @param file name of the file, for messages
 * @throws InvalidInput with every problem: `clusterset.yaml:7:9 spec.template.metadata.labels.env: …`
 */
export function parseClusterSet(text: string, file: string): ClusterSet {
  checkLength(text, file);
  const { document, lines, problems: unread } = readYaml(text);
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const unreadable = unread.map(({ offset, message, code }): Problem => ({
    path: at(offset),
    allowed: code === 'MULTIPLE_DOCS' ? 'the end of the file: one set a file' : `valid YAML: ${message}`,
  }));
  throwIfAny(file, unreadable);
  const content = contentOf(document, file);
  const found = clusterSetProblems(content);
  const problems = firstProblems(found).map(({ steps, ...problem }) => ({
    ...problem,
    path: `${at(offsetOf(document, steps))} ${problem.path}`.trimEnd(),
  }));
  throwIfAny(file, [...problems, ...moreProblems(file, found)]);
  return content as ClusterSet;
}

/**
 * Checks a set that a program made.
 *
 * @throws InvalidInput with every problem
 */
export function checkClusterSet(set: ClusterSet): void {
  throwIfAny(
    'ClusterSet',
    clusterSetProblems(set).map(({ steps: _steps, ...problem }) => problem),
  );
}

function contentOf(document: Document, file: string): unknown {
  const read = plainValue(document);
  if ('reason' in read) {
    throw new InvalidInput(file, [{ path: `${file}:1:1`, allowed: `valid YAML without ${read.reason}` }]);
  }
  return read.value;
}

/** Where a field stands: its key, or the innermost part of its way that is there. */
function offsetOf(document: Document, steps: Steps): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of steps) {
    const pair = isMap(node) ? pairOf(node, String(step)) : undefined;
    node = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : undefined;
    const place = pair?.key ?? node;
    if (!isNode(place)) {
      break;
    }
    offset = place.range?.[0] ?? offset;
  }
  return offset;
}

function throwIfAny(subject: string, problems: readonly Problem[]): void {
  if (problems.length > 0) {
    throw new InvalidInput(subject, problems);
  }
}
