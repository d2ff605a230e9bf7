import type { AwsClients } from '../../core/aws/clients';
import { AwsError, callAws } from '../../core/aws/errors';
import type { AllowStatement } from '../../core/aws/iam';
import { everyPage, pageOf } from '../../core/aws/pages';
import { partitionOf } from '../../core/aws/partitions';
import { entryName, entryText, historyList, readEntry } from './entry';
import type { HistoryEntry, HistoryStore } from './entry';

/** Path of the parameters. */
const folder = '/cluster-canary/history';

/**
 * The most that SSM answers at once, and its default.
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
 */
const pageSize = 10;

/** Name of the parameter of an entry: the same for the same entry, after a kill as well. */
export function historyParameter(entry: Pick<HistoryEntry, 'fleet' | 'region' | 'id'>): string {
  return `${folder}/${entry.fleet}/${entryName(entry)}`;
}

/**
 * History in parameters of AWS Systems Manager, one for each entry. They are written once and never again: SSM refuses to
 * overwrite them. An account has room for 10,000 standard parameters in a region, which cost nothing.
 */
export function ssmHistory(clients: AwsClients): HistoryStore {
  const name = `SSM parameters below ${folder}`;
  const callOf = (action: string, subject: string) => ({ action, subject, region: clients.region });
  return {
    name,
    add: async (entry, signal) => {
      const parameter = historyParameter(entry);
      try {
        await callAws(callOf('ssm:PutParameter', parameter), async () =>
          (await clients.ssm()).putParameter(
            {
              Name: parameter,
              Value: entryText(entry),
              Overwrite: false,
              Type: 'String',
              Description: `A ${entry.kind} of the fleet ${entry.fleet}, which has ended`,
            },
            { abortSignal: signal },
          ),
        );
      } catch (error) {
        if (!isThereAlready(error)) {
          throw error;
        }
      }
    },
    list: async (query, signal) => {
      const path = query.fleet === undefined ? folder : `${folder}/${query.fleet}`;
      const call = callOf('ssm:GetParametersByPath', path);
      const parameters = await everyPage(call, (token: string | undefined) =>
        callAws(call, async () =>
          pageOf(
            'Parameters',
            (await clients.ssm()).getParametersByPath(
              { Path: path, Recursive: true, MaxResults: pageSize, NextToken: token },
              { abortSignal: signal },
            ),
          ),
        ),
      );
      return historyList(
        parameters.map(({ Name = folder, Value }) => readEntry(`SSM parameter ${Name}`, Value)),
        query,
      );
    },
  };
}

function isThereAlready(error: unknown): boolean {
  return error instanceof AwsError && (error.cause as Error).name === 'ParameterAlreadyExists';
}

/**
 * The least rights that {@link ssmHistory} needs.
 *
 * @param fleet name of it. @default - every fleet
 */
export function ssmHistoryPermissions(
  use: 'add' | 'list',
  {
    fleet,
    region,
    account,
  }: { readonly fleet?: string; readonly region?: string; readonly account?: string },
): readonly AllowStatement[] {
  const arn = `arn:${partitionOf(region).id}:ssm:${region ?? '*'}:${account ?? '*'}:parameter${folder}`;
  const path = fleet === undefined ? arn : `${arn}/${fleet}`;
  return use === 'add'
    ? [
        {
          Sid: 'AddHistory',
          Effect: 'Allow',
          Action: ['ssm:PutParameter'],
          Resource: [`${path}/*`],
          // What is history can't be changed with this right.
          Condition: { StringEquals: { 'ssm:Overwrite': ['false'] } },
        },
      ]
    : [
        {
          Sid: 'ReadHistory',
          Effect: 'Allow',
          Action: ['ssm:GetParametersByPath'],
          Resource: [path, `${path}/*`],
        },
      ];
}
