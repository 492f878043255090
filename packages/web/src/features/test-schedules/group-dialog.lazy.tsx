import { lazy, Suspense } from 'react'
import type { GroupDialogProps } from './dialog/group-dialog.tsx'

const Lazy = lazy(async () => ({ default: (await import('./dialog/group-dialog.tsx')).GroupDialog }))

/** The dialog of a group is fetched when it is opened first. */
export const GroupDialog = (props: GroupDialogProps) => (
  <Suspense>
    <Lazy {...props} />
  </Suspense>
)
