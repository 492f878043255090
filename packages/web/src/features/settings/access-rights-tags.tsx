import { useCallback, useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconLock, IconPlus } from '../../icons/index.ts'
import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import { NewAccessRightsTag } from '@caretaker/contract/tags.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { textsOf } from '../../api/errors.ts'
import { accessRightsTagsQuery } from '../../api/tags.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/forms/fields.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { Empty } from '../../ui/states.tsx'
import { DeleteButton } from './delete-button.tsx'
import { accessRightsTagChanges } from './queries.ts'
import classes from './settings.module.css'

/** The tags that restrict what users see. Protected ones cannot be deleted. */
export function AccessRightsTags() {
  const actor = useActor()
  const { data, isError, refetch } = useQuery(accessRightsTagsQuery(actor.tenant))
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<AccessRightsTag>()
  const [added, setAdded] = useState<string>()
  const mayManage = can(actor, 'manage access rights tags')
  const onDelete = mayManage ? setDeleting : undefined
  const columns = useMemo(() => columnsFor(onDelete), [onDelete])
  const phoneRow = useCallback(
    (row: AccessRightsTag) => (
      <span className={classes.phoneRow}>
        <span>
          <b className={classes.phoneName}>{row.displayName}</b>
          {row.protected && <Protected />}
        </span>
        {onDelete && !row.protected && <DeleteButton name={row.displayName} onPress={() => onDelete(row)} />}
      </span>
    ),
    [onDelete],
  )
  return (
    <>
      <GenericTable
        label="Access rights tags"
        columns={columns}
        rows={data ?? none}
        rowId={(row) => row.id}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={
          <Empty
            text="No Tags"
            hint="A user with an access rights tag sees only devices and properties with the same tag."
          />
        }
        phoneRow={phoneRow}
        reveal={added}
        actions={
          mayManage && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)} disabled={!data}>
              Add access rights tag
            </Button>
          )
        }
      />
      {adding && <AddDialog onAdded={({ id }) => setAdded(id)} onClose={() => setAdding(false)} />}
      {deleting && <DeleteDialog tag={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

const none: AccessRightsTag[] = []

function columnsFor(onDelete: ((tag: AccessRightsTag) => void) | undefined): GenericColumn<AccessRightsTag>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 320,
      link: true,
      value: (row) => row.displayName,
      cell: (row) => row.displayName,
    },
    {
      id: 'protected',
      header: 'Protected',
      width: 240,
      value: (row) => (row.protected ? 'Protected' : ''),
      cell: (row) => (row.protected ? <Protected /> : <span className={classes.dimmed}>–</span>),
    },
    ...(onDelete
      ? [
          {
            id: 'actions',
            header: 'Actions',
            width: 100,
            align: 'end' as const,
            cell: (row: AccessRightsTag) =>
              !row.protected && <DeleteButton name={row.displayName} onPress={() => onDelete(row)} />,
          },
        ]
      : []),
  ]
}

function Protected() {
  return (
    <span className={classes.protected} title="A protected tag cannot be deleted">
      <IconLock size={14} aria-hidden />
      Protected
    </span>
  )
}

function AddDialog({ onAdded, onClose }: { onAdded: (tag: AccessRightsTag) => void; onClose: () => void }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const form = useValidForm({
    schema: NewAccessRightsTag,
    required: { displayName: 'Name is required!' },
    defaultValues: { displayName: '' },
  })
  const { create } = accessRightsTagChanges(queryClient, tenant)
  const submission = useSubmission(form, ({ displayName }) => [create(displayName).then(onAdded)], onClose)
  return (
    <FormDialog title="Add access rights tag" verb="Add" form={form} submission={submission} onClose={onClose}>
      <TextField form={form} name="displayName" label="Name" required first />
    </FormDialog>
  )
}

function DeleteDialog({ tag, onClose }: { tag: AccessRightsTag; onClose: () => void }) {
  const { tenant } = useActor()
  const { remove } = accessRightsTagChanges(useQueryClient(), tenant)
  // The toast has already shown the generic text.
  const reasons = (error: unknown) => textsOf(error).filter((text) => text !== statusText(0))
  return (
    <ConfirmDialog
      title={`Delete access rights tag ${tag.displayName}`}
      verb="Delete"
      danger
      onConfirm={() => remove(tag).then(() => true as const, reasons)}
      onClose={onClose}
    >
      <p>The tag is removed from every device. A tag that a user has cannot be deleted.</p>
    </ConfirmDialog>
  )
}
