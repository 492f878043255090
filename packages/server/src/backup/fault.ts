/** Why a backup is not made or not brought back, said in one line. */
export class BackupFault extends Error {
  override name = 'BackupFault'
}
