import { awsAccess } from '../../core/aws/access-schema';
import type { AwsAccess } from '../../core/aws/arns';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { AwsError, callAws, present } from '../../core/aws/errors';
import type { AllowStatement } from '../../core/aws/iam';
import { everyPage } from '../../core/aws/pages';
import { partitionOf } from '../../core/aws/partitions';
import { limitedAnswer } from '../../core/aws/requests';
import { sleep } from '../../core/async';
import { shiftsPrefix } from '../../core/names';
import { errorLine } from '../../core/validation/problems';
import { object, optional } from '../../core/validation/collections';
import { text } from '../../core/validation/values';
import { historyKind, newestShifts } from './history-kind';
import type { HistoryRight, ShiftHistory } from './history-kind';
import { keptText, longestShift, readKept, shiftIdForm } from './kept-shift';
import type { KeptShift } from './kept-shift';

/** A bucket of Amazon S3. */
export interface S3HistorySettings extends AwsAccess {
  /** Name of the bucket, which is there already. */
  readonly bucket: string;
  /** What comes before the names of the objects, without a slash at its ends. @default 'cluster-canary/shifts' */
  readonly prefix?: string;
}

/**
 * Shifts in a bucket: an object each, written once. Rules of the bucket say how long they are kept, and with which key.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
 */
export const s3 = historyKind<S3HistorySettings>({
  settings: object<S3HistorySettings>({
    bucket: text(
      'the name of a bucket: 3 to 63 lower-case letters, digits, "-" and "."',
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    ),
    prefix: optional(
      text(
        'parts of letters, digits and _ . - between slashes, at most 500 characters: "teams/web/shifts"',
        /^[\w.-]+(?:\/[\w.-]+)*$/,
        500,
      ),
    ),
    ...awsAccess,
  }),
  open: ({ bucket, prefix, ...access }) => {
    const clients = awsClients(access);
    return Promise.resolve({
      history: s3History(clients, bucket, prefix),
      close: () => clients.close(),
    });
  },
  permissions: ({ roleArn, ...settings }, right) => ({ roleArn, statements: s3Statements(settings, right) }),
});

/** As often is tried what two writers of one name have hindered. */
const mostTries = 4;

/** Between two tries, in milliseconds. */
const pauseMs = 200;

/** A history in a bucket. */
export function s3History(clients: AwsClients, bucket: string, prefix = shiftsPrefix): ShiftHistory {
  const place = `s3://${bucket}/${prefix}`;
  const keyOf = (id: string): string => `${prefix}/${id}.json`;
  const callOf = (action: string, subject: string) => ({ action, subject, region: clients.region });
  const put = (key: string, body: string, signal?: AbortSignal): Promise<unknown> =>
    callAws(callOf('s3:PutObject', `s3://${bucket}/${key}`), async () =>
      (await clients.s3()).putObject(
        { Bucket: bucket, Key: key, Body: body, ContentType: 'application/json', IfNoneMatch: '*' },
        { abortSignal: signal },
      ),
    );
  const get = async (id: string, signal?: AbortSignal): Promise<KeptShift | string | undefined> => {
    const shown = `s3://${bucket}/${keyOf(id)}`;
    try {
      const kept = await callAws(callOf('s3:GetObject', shown), async () => {
        const { Body } = await (
          await clients.s3()
        ).getObject({ Bucket: bucket, Key: keyOf(id) }, { abortSignal: signal });
        return Buffer.from(await limitedAnswer(Body, { longest: longestShift }));
      });
      return readKept(shown, kept.toString('utf8'));
    } catch (error) {
      signal?.throwIfAborted();
      return isNamed(error, 'NoSuchKey') ? undefined : errorLine(error);
    }
  };
  return {
    name: place,
    keep: async (shift, signal) => {
      for (let left = mostTries - 1; ; left -= 1) {
        try {
          await put(keyOf(shift.run.id), keptText(shift), signal);
          return;
        } catch (error) {
          if (isNamed(error, 'PreconditionFailed')) {
            return;
          }
          // Another write of this name is under way: S3 asks for another try.
          if (!isNamed(error, 'ConditionalRequestConflict') || left === 0) {
            throw error;
          }
          await sleep(pauseMs * (1 + Math.random()), signal);
        }
      }
    },
    list: async (query, signal) => {
      const call = callOf('s3:ListBucket', place);
      const keys = await everyPage(call, (token: string | undefined) =>
        callAws(call, async () => {
          const answer = await (
            await clients.s3()
          ).listObjectsV2(
            { Bucket: bucket, Prefix: `${prefix}/`, ContinuationToken: token },
            { abortSignal: signal },
          );
          // Without objects there is no list of them; the count is always there.
          present(call, 'KeyCount', answer.KeyCount);
          return { items: answer.Contents ?? [], next: answer.NextContinuationToken };
        }),
      );
      const ids = keys.flatMap(({ Key = '' }) => {
        const id = Key.slice(prefix.length + 1).replace(/\.json$/, '');
        return keyOf(id) === Key && shiftIdForm.test(id) ? [id] : [];
      });
      return newestShifts(ids, query, (id) => get(id, signal));
    },
    read: get,
  };
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof AwsError && (error.cause as Error | undefined)?.name === name;
}

/**
 * The least rights that a bucket's history needs. What is kept can't be overwritten with them.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
 */
function s3Statements(
  { bucket, prefix = shiftsPrefix, region }: S3HistorySettings,
  right: HistoryRight,
): readonly AllowStatement[] {
  const arn = `arn:${partitionOf(region).id}:s3:::${bucket}`;
  const objects = [`${arn}/${prefix}/*`];
  return right === 'keep'
    ? [
        {
          Sid: 'KeepShifts',
          Effect: 'Allow',
          Action: ['s3:PutObject'],
          Resource: objects,
          Condition: { Null: { 's3:if-none-match': ['false'] } },
        },
      ]
    : [
        {
          Sid: 'ListShifts',
          Effect: 'Allow',
          Action: ['s3:ListBucket'],
          Resource: [arn],
          Condition: { StringEquals: { 's3:prefix': [`${prefix}/`] } },
        },
        { Sid: 'ReadShifts', Effect: 'Allow', Action: ['s3:GetObject'], Resource: objects },
      ];
}
