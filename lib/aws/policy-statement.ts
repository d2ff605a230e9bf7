/**
 * One statement of an IAM policy that grants rights.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
 */
export interface RightsStatement {
  /** Name of the statement: letters and digits. */
  readonly Sid: string;
  readonly Effect: 'Allow';
  /** What may be done. */
  readonly Action: readonly string[];
  /** ARNs of what it may be done to; `*` where AWS knows no narrower one for the action. */
  readonly Resource: string | readonly string[];
  /** When: operator, key, accepted values. @default - always */
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}
