import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { removeDevice } from '@caretaker/contract/calls/actions.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { CancelButton, ConfirmDialog, Dialog, Problems, questionWidth } from '../ui/dialog.tsx'
import { showSuccess } from '../ui/toasts.tsx'
import { failureTexts, somethingWrong } from './failure.ts'
import { refreshTenant } from './refresh.ts'
import { accessRightsFailure, tagChanges } from './tag-changes.ts'
import { AccessRightsPicker, noRestrictions, TagPicker } from './tag-picker.tsx'
import type { ActionTarget } from './target.ts'
import { nameOf } from './target.ts'

export interface SingleDialogProps {
  target: ActionTarget
  onClose: () => void
}

/** Uninstalls a device after a confirmation that explains what is removed. */
export function UninstallDialog({ target, onClose }: SingleDialogProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const uninstall = async () => {
    try {
      await call(removeDevice, { body: { tenant, deviceId: target.deviceId } })
    } catch (error) {
      return failureTexts(error)
    }
    showSuccess('Uninstalled successfully!')
    void refreshTenant(queryClient, tenant)
    return true
  }
  return (
    <ConfirmDialog
      title={`Uninstall ${target.serialNumber}`}
      verb="Uninstall"
      danger
      onConfirm={uninstall}
      onClose={onClose}
    >
      <p>
        {nameOf(target)} returns to inventory. Its data is permanently removed: readings, events, test results, notes
        and records. This cannot be undone. Its messages are refused until it is installed again.
      </p>
    </ConfirmDialog>
  )
}

/** Changes the tags of a device. */
export function UpdateTagsDialog({ target, onClose }: SingleDialogProps) {
  const { tenant } = useActor()
  const { replaceTags } = tagChanges(useQueryClient(), tenant, target.deviceId)
  const [former] = useState(() => target.tags.map(({ id }) => id))
  const [chosen, setChosen] = useState<string[]>(former)
  const isChanged = chosen.length !== former.length || chosen.some((id) => !former.includes(id))
  return (
    <ChangeDialog
      title={`Update tags of ${target.serialNumber}`}
      ready={isChanged}
      change={() => replaceTags(chosen, former)}
      onClose={onClose}
    >
      {(busy) => <TagPicker label="Tags" chosen={chosen} onChange={setChosen} disabled={busy} />}
    </ChangeDialog>
  )
}

/** Changes the access rights tag of a device. */
export function AccessRightsDialog({ target, onClose }: SingleDialogProps) {
  const { tenant } = useActor()
  const { setAccessRightsTag } = tagChanges(useQueryClient(), tenant, target.deviceId)
  const [former] = useState(target.accessRightsTag?.id ?? null)
  const [chosen, setChosen] = useState(former ?? noRestrictions)
  return (
    <ChangeDialog
      title={`Update access rights tag of ${target.serialNumber}`}
      ready={chosen !== (former ?? noRestrictions)}
      change={() => setAccessRightsTag(chosen === noRestrictions ? null : chosen, former)}
      failure={accessRightsFailure}
      onClose={onClose}
    >
      {(busy) => (
        <>
          <AccessRightsPicker
            label="Access rights tag"
            chosen={chosen}
            onChange={(id) => setChosen(id ?? noRestrictions)}
            withNone
            disabled={busy}
          />
          <p>Users with access rights tags see only devices that have one of these tags.</p>
        </>
      )}
    </ChangeDialog>
  )
}

interface ChangeDialogProps {
  title: string
  /** Whether there is anything to save. */
  ready: boolean
  change: () => Promise<void>
  /** The title of an error, before the message of the server. */
  failure?: string
  onClose: () => void
  children: (busy: boolean) => ReactNode
}

/** A dialog that closes when the change succeeds and shows the errors otherwise. */
function ChangeDialog({ title, ready, change, failure, onClose, children }: ChangeDialogProps) {
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const save = async () => {
    setBusy(true)
    setProblems([])
    try {
      await change()
      onClose()
    } catch (error) {
      const texts = failureTexts(error)
      setProblems(failure === undefined ? texts : [failure, ...texts.filter((text) => text !== somethingWrong)])
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      size={questionWidth}
      title={title}
      onClose={onClose}
      busy={busy}
      actions={
        <>
          <CancelButton disabled={busy} />
          <Button onClick={() => void save()} disabled={!ready} loading={busy}>
            Save
          </Button>
        </>
      }
    >
      {children(busy)}
      <Problems texts={problems} />
    </Dialog>
  )
}
