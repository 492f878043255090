import { lazily } from '../../ui/lazily.tsx'

/** The dialog of a group, loaded on first use. */
export const GroupDialog = lazily(async () => (await import('./dialog/group-dialog.tsx')).GroupDialog)
