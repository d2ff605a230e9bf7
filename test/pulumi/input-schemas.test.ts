import * as pulumi from '@pulumi/pulumi';
import { formatProblem as sentence } from '../../lib/core/validation';
import { subnetId, vpcId } from '../../lib/core/aws/identifiers';
import type { Schema } from '../../lib/core/validation/schema';
import { problemsOf } from '../../lib/core/validation/schema';
import { list } from '../../lib/core/validation/collections';
import { text } from '../../lib/core/validation/values';
import {
  awsTags,
  input,
  inputList,
  inputsByName,
  kubernetesLabels,
  listOfSecrets,
} from '../../lib/pulumi/input-schemas';

const said = (schema: Schema, value: unknown): string[] =>
  problemsOf(schema, value).map((each) => sentence(each));

test('tags that AWS keeps for itself, and those by which the library finds its resources, are refused', () => {
  const refusedKeys = (tags: unknown): readonly string[] =>
    problemsOf(awsTags, tags).map(({ path, value }) => `${path} ${JSON.stringify(value)}`);
  expect(refusedKeys({ team: 'platform', 'a b/c:d=é': '', left: undefined })).toEqual([]);
  expect(refusedKeys({ 'AWS:x': 'a', 'cluster-canary/fleet': 'b', '': 'c', ['k'.repeat(129)]: 'd' })).toEqual(
    ['[""] ""', `${'k'.repeat(129)} "${'k'.repeat(129)}"`, 'AWS:x "a"', 'cluster-canary/fleet "b"'],
  );
  expect(refusedKeys({ n: 5, long: 'v'.repeat(257) })).toEqual(['n 5', `long "${'v'.repeat(257)}"`]);
  expect(refusedKeys([{ Key: 'a', Value: 'b' }])).toHaveLength(1);
  expect(refusedKeys('a=b')).toHaveLength(1);
});

test('what is there in place of a list of secrets is not shown', () => {
  const secrets = listOfSecrets(list(text('a text', /^[a-z]+$/), 1, 'a list of texts'));
  expect(said(secrets, ['a', 'B'])).toEqual(['[1]: "B": must be a text']);
  for (const none of ['hunter2', { a: 'hunter2' }, 7, []]) {
    expect(said(secrets, none)).toEqual([expect.not.stringContaining('hunter2')]);
  }
});

test('Outputs and promises are let through where an Input may be, at each depth', () => {
  const later = [pulumi.output('shop'), Promise.resolve('shop')];
  for (const each of later) {
    expect(said(input(vpcId), each)).toEqual([]);
    expect(said(inputList(subnetId), each)).toEqual([]);
    expect(said(inputList(subnetId), [each, 'subnet-1'])).toEqual([]);
    expect(said(inputsByName(subnetId), { one: each })).toEqual([]);
    expect(said(inputsByName(subnetId), each)).toEqual([expect.stringContaining('a plain value is needed')]);
    expect(said(kubernetesLabels, { env: each })).toEqual([
      expect.stringMatching(/^env: an? (Output|Promise), known/),
    ]);
  }
  expect(said(input(vpcId), 'shop')).toEqual([expect.stringContaining('"shop": must be the ID of a VPC')]);
  expect(said(inputList(subnetId), ['subnet-1', 'vpc-1', pulumi.output('x')])).toEqual([
    expect.stringMatching(/^\[1\]: "vpc-1": must be the ID of a subnet/),
  ]);
  expect(said(inputList(subnetId), 'subnet-1')).toEqual([
    expect.stringContaining('must be several values, each of them the ID of a subnet'),
  ]);
  expect(said(inputsByName(subnetId), { one: 'x' })).toEqual([expect.stringMatching(/^one: "x": must be/)]);
});
