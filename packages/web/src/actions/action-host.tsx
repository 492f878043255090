import { lazily } from '../ui/lazily.tsx'
import { useOpenAction } from './open.ts'
import { useUndoKey } from './undo.ts'

const ActionDialogs = lazily(async () => (await import('./action-dialogs.tsx')).ActionDialogs)

/** Shows the dialogs of device actions on every page; the dialogs are loaded on first use. */
export function ActionHost() {
  const opened = useOpenAction()
  useUndoKey()
  return opened && <ActionDialogs opened={opened} />
}
