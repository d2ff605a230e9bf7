/** Credentials of AWS, as a signature needs them. */
export interface AwsCredentials {
  /** Id of the access key. */
  readonly accessKeyId: string;
  /** The secret of the access key: it is shown nowhere. */
  readonly secretAccessKey: string;
  /** Token of a role's session. @default - the key is a user's */
  readonly sessionToken?: string;
}
