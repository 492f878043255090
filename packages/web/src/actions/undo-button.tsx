import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconArrowBackUp } from '../icons/index.ts'

/** Undoes a bulk action, once. */
export function UndoButton({ takeBack }: { takeBack: () => Promise<unknown> }) {
  const [busy, setBusy] = useState(false)
  const press = async () => {
    setBusy(true)
    await takeBack()
    setBusy(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      loading={busy}
      onClick={() => void press()}
    >
      Undo
    </Button>
  )
}
