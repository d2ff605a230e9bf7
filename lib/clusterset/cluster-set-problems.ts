import { arnParts, awsRegion, iamRoleArn } from '../aws';
import type { Rule } from '../problems';
import {
  dnsLabel,
  dnsSubdomain,
  isMapping,
  labelKey,
  labelValue,
  oneOf,
  someText,
  wholeNumber,
} from '../problems';
import type { LocatedProblem } from './located-problems';
import { Field } from './located-problems';
import { loginProblems } from './login-problems';
import { reservedKeys } from './markers';
import { account, durationFrom, tagKey, tagValue, templateOf, yesOrNo } from './rules';

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
