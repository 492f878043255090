import { Button } from '@mantine/core'
import type { ConnectedDevice } from '@caretaker/contract/boilers.ts'
import type { SingleAction } from '@caretaker/rules/actions/actions.ts'
import { targetOfConnected } from '../../actions/target.ts'
import { useActionItems } from '../../actions/use-action-items.tsx'
import { isPlainClick, useGoTo } from '../../ui/link.tsx'

/** Actions shown for a connected device on the page of its module. */
const here: readonly SingleAction[] = ['reset autofill', 'complete install', 'view in app']

export function ConnectedActions({ device }: { device: ConnectedDevice }) {
  const items = useActionItems(targetOfConnected(device), 'page')
  const goTo = useGoTo()
  return items
    .filter(({ action }) => here.includes(action))
    .map(({ action, label, icon, href, external, onPress }) =>
      href === undefined ? (
        <Button key={action} variant="default" leftSection={icon} onClick={onPress}>
          {label}
        </Button>
      ) : (
        <Button
          key={action}
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
      ),
    )
}
