import { awsClients } from '../../../core/aws/clients';
import { awsTargetHealth } from '../../../shift/checks';
import type { TargetHealthSource } from '../../../shift/checks';
import { subjectOf } from '../../../shift/routers';
import type { PhaseAnswer, PhaseRunner } from '../runner';
import { fleetSubjects } from './routes';
import type { FleetRoutes } from './routes';

/** What {@link prescalePhase} asks. */
export interface PrescalePhase extends FleetRoutes {
  /** Healthy targets that the new slot has to have, in percent of the old slot's. @default 50 - the first steps take less, and the shift's own checks say how far each may go */
  readonly healthyPercent?: number;
  /** @default - Elastic Load Balancing */
  readonly targetHealth?: TargetHealthSource;
}

/** `prescale`: on every route, the new slot has enough healthy targets for the first steps; at least one. */
export function prescalePhase(settings: PrescalePhase): PhaseRunner {
  const { healthyPercent = 50, route } = settings;
  // The target groups of the file's route may be in another region or account.
  const clients = route ? awsClients(subjectOf(route)) : settings.clients;
  const { targetHealth = awsTargetHealth(clients) } = settings;
  const healthy = async (arn: string, signal: AbortSignal): Promise<number> =>
    (await targetHealth.targets(arn, signal)).filter(({ state }) => state === 'healthy').length;
  return {
    phase: 'prescale',
    run: async ({ slot, other, say }, signal): Promise<PhaseAnswer> => {
      const { subjects, problems } = await fleetSubjects(settings, [slot, other], signal);
      const groups = subjects.flatMap(({ slots }) => {
        const [own, old] = [slots[slot.name]?.targetGroupArn, slots[other.name]?.targetGroupArn];
        return own === undefined || old === undefined ? [] : [[own, old] as const];
      });
      if (groups.length === 0) {
        const why = problems.length > 0 ? `: ${problems.join('; ')}` : '';
        const reason = `no rule forwards to target groups of both ${slot.name} and ${other.name}${why}`;
        return { passed: false, reason, final: false };
      }
      const counts = await Promise.all(
        groups.map(async ([own, old]) => {
          const [has, measure] = await Promise.all([healthy(own, signal), healthy(old, signal)]);
          return { own, has, measure, needs: Math.max(1, Math.ceil((measure * healthyPercent) / 100)) };
        }),
      );
      const lines = counts.map(
        ({ own, has, measure, needs }) =>
          `${own.split(':').at(-1)}: ${has} healthy targets of ${needs} (${other.name} has ${measure})`,
      );
      const short = lines.filter((_, at) => counts[at]!.has < counts[at]!.needs);
      if (short.length > 0) {
        return { passed: false, reason: short.join('; '), final: false };
      }
      lines.forEach((line) => say(`prescale: ${line}`));
      return { passed: true };
    },
  };
}
