process.argv.push('report')
await import('../agent/index.js')
