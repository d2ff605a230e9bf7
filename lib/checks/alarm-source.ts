/** CloudWatch's alarms, as far as checks ask for them. */
export interface AlarmSource {
  /**
   * The alarms with these names, metric and composite ones; those that are not there are left out.
   *
   * @throws SourceError
   */
  alarms(names: readonly string[], signal?: AbortSignal): Promise<readonly AlarmState[]>;
}

/** What CloudWatch says of one alarm. */
export interface AlarmState {
  /** Name of the alarm. */
  readonly name: string;
  /** `OK`, `ALARM`, `INSUFFICIENT_DATA` */
  readonly state: string;
}
