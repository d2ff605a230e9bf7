import { awsClients } from '../../core/aws/clients';
import { AwsError } from '../../core/aws/errors';
import { LoadBalancingReader, askBalancing } from '../../core/aws/load-balancing';
import type { TagsByKey } from '../../core/aws/load-balancing';
import { fleetTag, slotTag } from '../../core/names';
import { InvalidInput } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { ShiftSubject } from '../../shift/engine';
import type { CheckedPlanFile } from '../../shift/plan-file';
import { subjectOf } from '../../shift/routers';

/** Reads tags of target groups with the access that a route has. */
export type ReadTags = (
  subject: ShiftSubject,
  arns: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, TagsByKey>>;

/**
 * Looks whether the target groups of a plan are of its fleet and slots, where tags of this library say whose they are: with the
 * plan of another fleet a swap would move that one's traffic.
 *
 * @param readTags @default - Elastic Load Balancing
 * @throws InvalidInput with every target group that is of another fleet or slot; AwsError
 */
export async function checkTargets(
  { routes, file }: Pick<CheckedPlanFile, 'routes' | 'file'>,
  fleet: string,
  signal: AbortSignal,
  readTags: ReadTags = tagsInAws,
): Promise<void> {
  const problems: Problem[] = [];
  const isSeveral = Object.keys(routes).length > 1;
  for (const [name, route] of Object.entries(routes)) {
    const subject = subjectOf(route);
    const groups = Object.entries(subject.slots).flatMap(([slot, { targetGroupArn: arn }]) =>
      arn === undefined ? [] : [{ slot, arn }],
    );
    const arns = groups.map(({ arn }) => arn);
    const tags = arns.length === 0 ? new Map<string, TagsByKey>() : await readTags(subject, arns, signal);
    for (const { slot, arn } of groups) {
      const { [fleetTag]: ofFleet = fleet, [slotTag]: ofSlot = slot } = tags.get(arn) ?? {};
      if (ofFleet !== fleet || ofSlot !== slot) {
        problems.push({
          path: `${isSeveral ? `routes.${name}.` : ''}slots.${slot}.targetGroupArn`,
          value: arn,
          allowed: `a target group of slot ${slot} of fleet ${fleet}: its tags say slot ${ofSlot} of fleet ${ofFleet}`,
        });
      }
    }
  }
  if (problems.length > 0) {
    throw new InvalidInput(file, problems);
  }
}

/** Without the right to read tags nothing is known of them. */
async function tagsInAws(
  subject: ShiftSubject,
  arns: readonly string[],
  signal: AbortSignal,
): ReturnType<ReadTags> {
  const clients = awsClients(subject);
  try {
    return await new LoadBalancingReader(askBalancing(clients)).tags(arns, signal);
  } catch (error) {
    if (error instanceof AwsError && error.failure.kind === 'denied') {
      return new Map();
    }
    throw error;
  } finally {
    clients.close();
  }
}
