import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { View } from '@caretaker/rules/views/view.ts'
import { useActor } from '../../api/actor.ts'
import { listViewsQuery, viewsQuery } from '../../api/views.ts'
import { Dialog, questionWidth } from '../../ui/dialog.tsx'

interface ConflictDialogProps {
  view: View
  /** Whether somebody deleted it; otherwise somebody saved it. */
  isGone: boolean
  maySaveAs: boolean
  /** Shows what is stored now, without one's own changes. */
  onTheirs: () => Promise<void>
  onSaveAs: () => void
  onClose: () => void
}

/** Says that somebody was faster, and leaves the choice between their version and a view of one's own. */
export function ConflictDialog({ view, isGone, maySaveAs, onTheirs, onSaveAs, onClose }: ConflictDialogProps) {
  const { tenant, memberId } = useActor()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const loadTheirs = async () => {
    setBusy(true)
    // A view that is gone must not be shown any more when the list says so.
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
