import { lazy, Suspense } from 'react'
import { useOpenAction } from './open.ts'
import { useUndoKey } from './undo.ts'

const ActionDialogs = lazy(async () => ({ default: (await import('./action-dialogs.tsx')).ActionDialogs }))

/** Where dialogs of device actions appear, for every page; they are loaded when the first is asked for. */
export function ActionHost() {
  const opened = useOpenAction()
  useUndoKey()
  if (!opened) return undefined
  return (
    <Suspense>
      <ActionDialogs opened={opened} />
    </Suspense>
  )
}
