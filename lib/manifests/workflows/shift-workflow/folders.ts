/** Folders of a pod, by path. */
export interface PodFolders {
  /** Names of Secrets. @default - none */
  readonly secretFolders?: Readonly<Record<string, string>>;
  /** Names of persistent volume claims. @default - none */
  readonly claimFolders?: Readonly<Record<string, string>>;
}

/** The volumes of folders. */
export function folderVolumes({ secretFolders = {}, claimFolders = {} }: PodFolders): readonly object[] {
  return [
    ...Object.values(secretFolders).map((secretName, index) => ({
      name: `secret-${index + 1}`,
      secret: { secretName },
    })),
    ...Object.values(claimFolders).map((claimName, index) => ({
      name: `claim-${index + 1}`,
      persistentVolumeClaim: { claimName },
    })),
  ];
}

/** Where a container has them. */
export function folderMounts({ secretFolders = {}, claimFolders = {} }: PodFolders): readonly object[] {
  return [
    ...Object.keys(secretFolders).map((mountPath, index) => ({
      name: `secret-${index + 1}`,
      mountPath,
      readOnly: true,
    })),
    ...Object.keys(claimFolders).map((mountPath, index) => ({ name: `claim-${index + 1}`, mountPath })),
  ];
}
