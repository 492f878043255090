import path from 'node:path'

/** The paths in the data folder. */
export interface Places {
  /** As the user wrote it, for messages. */
  dataDir: string
  folder: string
  cluster: string
  pidFile: string
  passwordFile: string
  log: string
}

export function placesIn(dataDir: string, folder: string): Places {
  const cluster = path.join(folder, 'postgres')
  return {
    dataDir,
    folder,
    cluster,
    pidFile: path.join(cluster, 'postmaster.pid'),
    passwordFile: path.join(folder, 'postgres-password'),
    log: path.join(folder, 'postgres.log'),
  }
}
