import { lazily } from '../../ui/lazily.tsx'

/** The dialog of a group is fetched when it is opened first. */
export const GroupDialog = lazily(async () => (await import('./dialog/group-dialog.tsx')).GroupDialog)
