/** Says which version an API server is of. */
export interface ServerVersion {
  /**
   * `v1.35.4`
   *
   * @throws KubernetesError; `faulty` where the answer names none
   */
  version(signal?: AbortSignal): Promise<string>;
}
