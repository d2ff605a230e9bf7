throw new Error('a program with a broken configuration must not run');
