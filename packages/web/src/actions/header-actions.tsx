import { useState } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { IconDots } from '../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { SingleAction } from '@caretaker/rules/actions/actions.ts'
import { isPlainClick, useGoTo } from '../ui/link.tsx'
import { ActionMenu } from './action-menu.tsx'
import { targetOfDevice } from './target.ts'
import type { ActionItem } from './use-action-items.tsx'
import { useActionItems } from './use-action-items.tsx'

/**
 * The most frequent actions, most urgent first: one of them is a button in the page header. A reset is in the alarm
 * panel.
 */
const foremost: readonly SingleAction[] = ['complete install', 'claim', 'install', 'view in app']
/** A light's page shows the flick test and its progress separately. */
const elsewhere: readonly SingleAction[] = ['flick test']

/** The actions of a device page: the main one as a button, the others in a menu. */
export function HeaderActions({ device }: { device: Device }) {
  const items = useActionItems(targetOfDevice(device), 'page').filter(({ action }) => !elsewhere.includes(action))
  const [opened, setOpened] = useState(false)
  const first = foremost.map((one) => items.find(({ action }) => action === one)).find((item) => item !== undefined)
  const others = items.filter((item) => item !== first)
  return (
    <>
      {first && <ActionButton item={first} />}
      {others.length > 0 && (
        <ActionMenu items={others} opened={opened} onChange={setOpened}>
          <ActionIcon variant="default" size="var(--control-height)" title="Actions" aria-label="Actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </ActionMenu>
      )}
    </>
  )
}

function ActionButton({ item }: { item: ActionItem }) {
  const { label, icon, href, external, onPress } = item
  const goTo = useGoTo()
  if (href === undefined)
    return (
      <Button variant="default" leftSection={icon} onClick={onPress}>
        {label}
      </Button>
    )
  return (
    <Button
      variant="default"
      component="a"
      href={href}
      leftSection={icon}
      {...(external ? { target: '_blank', rel: 'noreferrer' } : {})}
      onClick={(event) => {
        if (external || !isPlainClick(event)) return
        event.preventDefault()
        goTo(href)
      }}
    >
      {label}
    </Button>
  )
}
