import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { View } from '@caretaker/rules/views/view.ts'
import { useActor } from '../../api/actor.ts'
import { listViewsQuery, viewsQuery } from '../../api/views.ts'
import { Dialog, questionWidth } from '../../ui/dialog.tsx'

interface ConflictDialogProps {
  view: View
  /** Whether the view was deleted; otherwise it was saved by another user. */
  isGone: boolean
  maySaveAs: boolean
  /** Shows the stored version without the user's changes. */
  onTheirs: () => Promise<void>
  onSaveAs: () => void
  onClose: () => void
}

/** Reports that another user saved first, and offers their version or a new view. */
export function ConflictDialog({ view, isGone, maySaveAs, onTheirs, onSaveAs, onClose }: ConflictDialogProps) {
  const { tenant, memberId } = useActor()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const loadTheirs = async () => {
    setBusy(true)
    // A deleted view must not be shown any more when the list is updated.
    if (isGone) await onTheirs()
    await Promise.all([
      client.refetchQueries({ queryKey: viewsQuery(tenant).queryKey, exact: true, type: 'active' }),
      client.refetchQueries({ queryKey: listViewsQuery(tenant, memberId).queryKey, exact: true, type: 'active' }),
    ])
    if (!isGone) await onTheirs()
    onClose()
  }
  return (
    <Dialog
      size={questionWidth}
      title={isGone ? `${view.label} was deleted` : `${view.label} was saved by someone else`}
      onClose={onClose}
      busy={busy}
      actions={
        <>
          <Button variant="default" disabled={!maySaveAs || busy} onClick={onSaveAs}>
            Save As
          </Button>
          <Button loading={busy} onClick={() => void loadTheirs()} data-autofocus>
            {isGone ? 'Cancel' : 'Load theirs'}
          </Button>
        </>
      }
    >
      <p role="alert">
        {isGone
          ? 'Someone deleted this view while you were changing it. Use Save As to keep your changes as a new view.'
          : 'Your changes were not saved. Load theirs and lose yours, or keep yours as a new view with Save As.'}
      </p>
    </Dialog>
  )
}
