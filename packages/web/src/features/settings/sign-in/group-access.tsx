import { useState } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { setGroupAccess } from '@caretaker/contract/calls/group-access.ts'
import type { GroupAccessRow } from '@caretaker/contract/group-access.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { IconArrowUp, IconPlus } from '../../../icons/index.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError, textsOf } from '../../../api/errors.ts'
import { accessRightsTagsQuery } from '../../../api/tags.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { DeleteButton } from '../delete-button.tsx'
import { EditButton } from '../edit-button.tsx'
import { GroupAccessDialog } from './group-access-dialog.tsx'
import { groupAccessQuery } from './queries.ts'
import { SignInCard } from './sign-in-card.tsx'
import classes from './sign-in.module.css'

type Opened = { action: 'add' } | { action: 'edit' | 'delete'; row: GroupAccessRow }

/** The roles that groups in the client's directory grant, in the order in which they apply. */
export function GroupAccessSettings() {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const { data: rows, isError, refetch } = useQuery(groupAccessQuery(tenant))
  const { data: tags = [] } = useQuery(accessRightsTagsQuery(tenant))
  const [opened, open] = useState<Opened>()
  const close = () => open(undefined)
  const save = async (next: GroupAccessRow[]) => {
    await call(setGroupAccess, { params: { tenant }, body: { rows: next } })
    queryClient.setQueryData(groupAccessQuery(tenant).queryKey, next)
  }
  const moveUp = (at: number) => {
    const next = rows!.with(at - 1, rows![at]!).with(at, rows![at - 1]!)
    save(next).catch(showCallError)
  }
  const replace = (row: GroupAccessRow | undefined, next: GroupAccessRow) =>
    save(row ? rows!.map((one) => (one === row ? next : one)) : [...rows!, next])
  const tagOf = ({ tags: [id] }: GroupAccessRow) =>
    id === undefined ? 'No restrictions' : (tags.find((tag) => tag.id === id)?.displayName ?? 'Unknown tag')
  return (
    <SignInCard
      title="Groups of your directory"
      actions={
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={!rows}
          onClick={() => open({ action: 'add' })}
        >
          Add group
        </Button>
      }
    >
      <p className={classes.hint}>
        The first row with a group of the user decides their role. It applies to provisioning, and to single sign-on
        that sends groups.
      </p>
      {!rows && (isError ? <Failed onRetry={() => void refetch()} /> : <Loading />)}
      {rows?.length === 0 && <p className={classes.hint}>No groups: no group gives access.</p>}
      {rows && rows.length > 0 && (
        <ol className={classes.rows} aria-label="Groups in order">
          {rows.map((row, at) => (
            <li key={row.group}>
              <span className={classes.group}>
                <b>{row.group}</b>
                <span className={classes.hint}>
                  {roleWords(row.role)}, {tagOf(row)}
                </span>
              </span>
              <span className={classes.buttons}>
                {at > 0 && (
                  <ActionIcon size={28} title="Move up" aria-label={`Move up: ${row.group}`} onClick={() => moveUp(at)}>
                    <IconArrowUp size={18} stroke={1.7} aria-hidden />
                  </ActionIcon>
                )}
                <EditButton name={row.group} onPress={() => open({ action: 'edit', row })} />
                <DeleteButton name={row.group} onPress={() => open({ action: 'delete', row })} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {rows && opened && opened.action !== 'delete' && (
        <GroupAccessDialog
          row={opened.action === 'edit' ? opened.row : undefined}
          others={rows.filter((one) => opened.action === 'add' || one !== opened.row)}
          tags={tags}
          onSave={(next) => replace(opened.action === 'edit' ? opened.row : undefined, next)}
          onClose={close}
        />
      )}
      {rows && opened?.action === 'delete' && (
        <ConfirmDialog
          title={`Delete ${opened.row.group}`}
          verb="Delete"
          danger
          onConfirm={() => save(rows.filter((one) => one !== opened.row)).then(() => true as const, textsOf)}
          onClose={close}
        >
          <p>Provisioned users without another group in the list lose access at once.</p>
        </ConfirmDialog>
      )}
    </SignInCard>
  )
}
