import { useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Connection } from '@caretaker/contract/connections.ts'
import { deleteConnection, pauseConnection, replaceConnectionKey } from '@caretaker/contract/calls/connections.ts'
import { connectionKeyHeader } from '@caretaker/rules/connections/connections.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { textsOf } from '../../api/errors.ts'
import { CancelButton, ConfirmDialog, Dialog, Problems, questionWidth } from '../../ui/dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { refreshConnections } from './queries.ts'
import { countText } from './words.ts'

interface ConnectionDialogProps {
  connection: Connection
  onClose: () => void
}

/** Pauses a connection, with an optional reason that everyone sees. */
export function PauseDialog({ connection: { id, name, transport }, onClose }: ConnectionDialogProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const [reason, setReason] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const pause = async () => {
    setBusy(true)
    try {
      const body = reason.trim() ? { reason: reason.trim() } : {}
      await call(pauseConnection, { params: { tenant, connectionId: id }, body })
      await refreshConnections(queryClient, tenant)
      showSuccess(`${name} paused`)
      onClose()
    } catch (error) {
      setProblems(textsOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={`Pause ${name}`}
      size={questionWidth}
      busy={isBusy}
      onClose={onClose}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          if (!isBusy) void pause()
        },
      }}
      actions={
        <>
          <CancelButton disabled={isBusy} />
          <Button type="submit" loading={isBusy}>
            Pause
          </Button>
        </>
      }
    >
      <p>
        {transport === 'webhook'
          ? 'Messages are refused until the connection is resumed.'
          : 'Caretaker disconnects from the broker until the connection is resumed.'}
      </p>
      <TextInput
        label="Reason"
        description="Shown next to the state."
        maxLength={200}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Problems texts={problems} />
    </Dialog>
  )
}

/** Asks for confirmation, then shows the new key once. */
export function KeyDialog({ connection: { id, name }, onClose }: ConnectionDialogProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const [key, setKey] = useState<string>()
  const replace = async () => {
    const made = await call(replaceConnectionKey, { params: { tenant, connectionId: id } })
    await refreshConnections(queryClient, tenant)
    setKey(made.key ?? undefined)
    return true as const
  }
  if (key !== undefined)
    return (
      <SecretDialog
        title={`Key of ${name}`}
        secret={key}
        hint={`Enter it in the header ${connectionKeyHeader}. The old key no longer works.`}
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={`New key for ${name}`}
      verb="Create new key"
      danger
      onConfirm={() => replace().catch(textsOf)}
      onDone={() => {}}
      onClose={onClose}
    >
      <p>The old key stops working at once.</p>
    </ConfirmDialog>
  )
}

export function DeleteDialog({ connection: { id, name, sensors, newSensors }, onClose }: ConnectionDialogProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const remove = async () => {
    await call(deleteConnection, { params: { tenant, connectionId: id } })
    await refreshConnections(queryClient, tenant)
    showSuccess(`${name} deleted`)
    return true as const
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      verb="Delete"
      danger
      onConfirm={() => remove().catch(textsOf)}
      onClose={onClose}
    >
      <p>
        Its messages and {countText(newSensors, 'new sensor')} are deleted.{' '}
        {sensors > 0 && `${countText(sensors, 'device')} and their readings stay, but receive no more messages. `}
        This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
