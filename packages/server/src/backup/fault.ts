/** Why a backup cannot be made or restored, in one line. */
export class BackupFault extends Error {
  override name = 'BackupFault'
}
