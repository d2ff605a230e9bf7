import { alarms } from './alarms';
import { metric } from './metric';
import { comparison, errorShare, slowShare } from './requests';

/**
 * Checks on CloudWatch's metrics and alarms.
 *
 * Elastic Load Balancing reports by the minute, and a minute's counts are taken two minutes after its end: a fault shows two
 * to three minutes after it began. The newest minute alone fails no check, but by what was counted as failed. A comparison
 * takes the minute of the write, too. Where seconds matter, count with Prometheus or Datadog and a shorter `period`.
 */
export const cloudWatch = {
  /** Alarms by their names. */
  alarms,
  /** A metric, or an expression over several, held against bounds. */
  metric,
  /** Share of failed requests of an ALB's target group, held against a bound. */
  errorShare,
  /** Share of slow requests of an ALB's target group, held against a bound. */
  slowShare,
  /** The target groups that gain weight beside the others. */
  comparison,
};
