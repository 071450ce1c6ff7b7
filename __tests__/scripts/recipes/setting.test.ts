import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { localRepositories, packageManagers } from '../../../scripts/recipes/setting.ts'
import { root } from '../../support/markdown-files.ts'

test('this action and what has a stand-in come from folders, whatever their version; nothing else does', () => {
  const text = `
    - uses: your-org/docs-agent-action@v1
    - uses: your-org/docs-agent-action/visitors@v1
    - uses: actions/upload-artifact@0123456789 # v7
    - uses: actions/checkout@v5
    - uses: ./
  `
  expect(localRepositories([text], '/action')).toEqual({
    'your-org/docs-agent-action@v1': '/action',
    'actions/upload-artifact@0123456789': join(root, 'scripts/recipes/stand-ins/upload-artifact'),
  })
})

test('steps that fetch packages get to know the registries of this machine, and no more of it', () => {
  const machine = {
    npm_config_registry: 'r',
    PIP_CERT: 'c',
    HTTPS_PROXY: 'p',
    npm_token: 't',
    PATH: '/',
    XDG_CACHE_HOME: '/c',
  }
  const given = packageManagers(machine)
  expect(given).toMatchObject({ npm_config_registry: 'r', PIP_CERT: 'c', HTTPS_PROXY: 'p' })
  expect(Object.values(given)).not.toContain('t')
  expect(given).not.toHaveProperty('PATH')
  expect(given['PIP_CACHE_DIR']).toBe(join('/c', 'docs-agent-action', 'pip'))
})
