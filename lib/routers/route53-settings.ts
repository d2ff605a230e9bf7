import type { AwsAccess, RightsStatement } from '../aws';
import { awsAccessProblems, hostedZoneId, partitionOf } from '../aws';
import type { Problem, Rule } from '../problems';
import { oneOf, Problems, knownKeys } from '../problems';
import { conditionName } from './records';
import { checkSlots, untyped } from './settings-problems';

/** Settings of `route53`. */
export interface Route53Settings extends AwsAccess {
  /** Id of the hosted zone, `Z1D633PJN98FT9`; with `/hostedzone/` before it or without. */
  readonly hostedZoneId: string;
  /** Name of the records: `www.example.com`, `*.example.com`; with a dot at its end or without. */
  readonly recordName: string;
  /** Type of the records, or several types whose records change together. */
  readonly recordType: RecordType | readonly RecordType[];
  /** Set identifier of each slot's record, 2 to 5. */
  readonly setIdentifiers: Readonly<Record<string, string>>;
}

/** A type of record that names where a service is. */
export type RecordType = (typeof recordTypes)[number];

const recordTypes = ['A', 'AAAA', 'CNAME'] as const;

const recordName: Rule = {
  allowed: 'a host name, such as "www.example.com"; "*" may be its first label',
  accepts: (value) =>
    typeof value === 'string' &&
    value.length <= 255 &&
    /^((\*|\\052)\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.?$/i.test(
      value,
    ),
};

/**
 * Set identifier of a record.
 * @see https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html
 */
const setIdentifier: Rule = {
  allowed: 'a set identifier of 1 to 128 characters',
  accepts: (value) => typeof value === 'string' && value.length >= 1 && value.length <= 128,
};

/** What is wrong with the settings, whatever they are. */
export function route53Problems(settings: unknown): readonly Problem[] {
  const problems = new Problems('route53');
  const given = untyped(settings, problems, 'route53');
  if (given) {
    knownKeys(problems, '', given, [
      ...['hostedZoneId', 'recordName', 'recordType', 'setIdentifiers', 'region', 'roleArn'],
    ]);
    problems.check('hostedZoneId', given.hostedZoneId, hostedZoneId);
    problems.check('recordName', given.recordName, recordName);
    checkTypes(problems, given.recordType);
    checkSlots(problems, 'setIdentifiers', given.setIdentifiers, setIdentifier);
    problems.addAll(awsAccessProblems(given));
  }
  return problems.all;
}

function checkTypes(problems: Problems, recordType: unknown): void {
  if (!Array.isArray(recordType)) {
    problems.check('recordType', recordType, oneOf(...recordTypes));
    return;
  }
  if (recordType.length === 0 || new Set(recordType).size < recordType.length) {
    problems.add('recordType', recordType, 'a type, or a list of different types');
  }
  for (const [index, type] of recordType.entries()) {
    problems.check(`recordType[${index}]`, type as unknown, oneOf(...recordTypes));
  }
}

/** The id of a zone without its path. */
export function bareZoneId({ hostedZoneId: id }: Route53Settings): string {
  return id.replace(/^\/hostedzone\//, '');
}

/** The types of records as a list. */
export function typesOf({ recordType }: Route53Settings): readonly RecordType[] {
  return typeof recordType === 'string' ? [recordType] : recordType;
}

/**
 * The least rights that `route53` needs: to change only records of that name and type, and none away.
 *
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/specifying-rrset-conditions.html
 */
export function route53Rights(settings: Route53Settings): readonly RightsStatement[] {
  const { id: partition } = partitionOf(settings.region);
  const zone = `arn:${partition}:route53:::hostedzone/${bareZoneId(settings)}`;
  return [
    { Sid: 'ReadWeights', Effect: 'Allow', Action: ['route53:ListResourceRecordSets'], Resource: [zone] },
    {
      Sid: 'WriteWeights',
      Effect: 'Allow',
      Action: ['route53:ChangeResourceRecordSets'],
      Resource: [zone],
      Condition: {
        'ForAllValues:StringEquals': {
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': [conditionName(settings.recordName)],
          'route53:ChangeResourceRecordSetsRecordTypes': typesOf(settings),
          'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
        },
      },
    },
    {
      Sid: 'FollowChange',
      Effect: 'Allow',
      Action: ['route53:GetChange'],
      Resource: [`arn:${partition}:route53:::change/*`],
    },
  ];
}
