import { lazily } from '../ui/lazily.tsx'
import { useOpenAction } from './open.ts'
import { useUndoKey } from './undo.ts'

const ActionDialogs = lazily(async () => (await import('./action-dialogs.tsx')).ActionDialogs)

/** Where dialogs of device actions appear, for every page; they are loaded when the first is asked for. */
export function ActionHost() {
  const opened = useOpenAction()
  useUndoKey()
  return opened && <ActionDialogs opened={opened} />
}
